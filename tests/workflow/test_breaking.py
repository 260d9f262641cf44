"""What breaks a run: kills, signals, a second run, full disks, damaged files. Nothing finished is ever lost."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from project import CELLS, Project, leftovers
from spindlemark.testbeds.vm.processes import start_of


def descendants(pid: int) -> list[int]:
    """Process ids below `pid`, whichever session they are in."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found, todo = [], [pid]
    while todo:
        found += (new := children.get(todo.pop(), []))
        todo += new
    return found


def kill_all(process: subprocess.Popen) -> None:
    """SIGKILL for a run and everything below it at once; all are stopped first, for one of them may be forking."""
    stopped: set[int] = set()
    while new := {process.pid, *descendants(process.pid)} - stopped:
        stopped |= new
        for pid in new:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
    for pid in stopped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


@pytest.fixture
def fresh(tmp_path, needs_root):
    return Project(tmp_path / "project")


def test_random_kills_lose_no_finished_result(fresh):
    rng = random.Random(20261121)
    for _ in range(6):
        process = fresh.start("run")
        time.sleep(rng.uniform(1.0, 6.0))
        before = fresh.contents()
        kill_all(process)
        assert before.items() <= fresh.contents().items()
    kept = fresh.contents()
    fresh.call("run")
    assert len(fresh.records()) == CELLS
    assert kept.items() <= fresh.contents().items()
    assert leftovers(fresh.root) == []


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_cleanly_and_the_next_run_continues(fresh, sign):
    process = fresh.start("run")
    while not fresh.records() and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(sign)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 130, out
    assert leftovers(fresh.root) == []
    kept = fresh.records()
    assert 1 <= len(kept) < CELLS
    assert f"Stopped. {len(kept)} of {CELLS} repetitions are measured and kept" in out and "./spindlemark site" in out
    fresh.measure()
    assert kept.items() <= fresh.records().items()
    assert len(fresh.records()) == CELLS


def test_ctrl_c_while_another_project_measures_stops_soon(fresh):
    """The clean-up waits for the machine five seconds in all, not two minutes for each testbed."""
    hold = (
        "import sys\nfrom spindlemark.core.process.lock import machine_lock\n"
        "with machine_lock(purpose='testbed other'):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    argv = [sys.executable, "-P", "-c", hold]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        process = fresh.start("run")
        while "trying the testbeds" not in (said := process.stdout.readline()):
            assert said
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        out, _ = process.communicate(timeout=600)
        took = time.monotonic() - begun
        other.stdin.close()
    assert process.returncode == 130 and "Stopped. 0 of" in out, out
    assert "The clean-up is incomplete; the next run repeats it: this machine is in use by process" in out
    assert took < 30, "each of its waits was 120 s before"
    fresh.measure()
    assert leftovers(fresh.root) == []


def test_an_impatient_ctrl_c_is_told_the_same(fresh):
    """A second one while the first is heeded; and where the plan that tells what is kept was damaged meanwhile."""
    process = fresh.start("run")
    while not fresh.records() and process.poll() is None:
        time.sleep(0.1)
    (fresh.root / "data/build/plan.json").write_text("{")
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 130 and "Traceback" not in out, out
    assert "Stopped. Finished repetitions are kept" in out and "plan.json" in out
    kept = fresh.records()
    fresh.measure()
    assert kept.items() <= fresh.records().items() and len(fresh.records()) == CELLS
    assert leftovers(fresh.root) == []


def test_killed_command_line_takes_its_workflow_along(fresh):
    process = fresh.start("run")
    while not fresh.records() and process.poll() is None:
        time.sleep(0.1)
    below = descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 300
    while any(start_of(pid) for pid in below):  # one that ended may wait to be noticed by its new parent
        assert time.monotonic() < deadline, "the workflow still runs"
        time.sleep(0.2)
    fresh.measure()
    assert len(fresh.records()) == CELLS
    assert leftovers(fresh.root) == []


def test_second_run_is_refused(fresh):
    process = fresh.start("run", "--no-adaptive", "--no-site")
    while not (fresh.root / "data/build/running.json").exists() and process.poll() is None:
        time.sleep(0.05)
    assert "another command is running" in fresh.call("run", code=2)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0, out
    assert len(fresh.records()) == CELLS


def test_library_that_does_not_fit_is_told_before_anything_is_measured(fresh):
    fresh.replace(
        "config/profiles/tiny.yaml", "picture: {files: 0.00005, size: 0.2}", "picture: {files: 0.01, size: 1}"
    )
    out = fresh.call("run", code=2)
    assert "image_size" in out and "config/profiles/" in out
    assert leftovers(fresh.root) == []


def test_full_disk_is_told(tmp_path, needs_root):
    mount = tmp_path / "small"
    mount.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", mount], check=True)
    try:
        project = Project(mount / "project")
        out = project.call("run", code=2)
        assert "free" in out and "config/" in out
    finally:
        subprocess.run(["umount", mount], check=True)


def test_unknown_key_is_told(measured):
    before = measured.records()
    measured.replace("config/profiles/tiny.yaml", "repetitions:", "repetitons:")
    out = measured.call("run", code=2)
    assert "tiny.yaml" in out and "did you mean repetitions" in out
    assert measured.records() == before


def test_damaged_record_is_told_and_the_others_kept(measured):
    before = measured.records()
    victim = sorted(before)[0]
    path = measured.root / "data/raw" / victim
    path.write_text(path.read_text()[:500])
    out = measured.call("run", code=2)
    assert victim in out.replace("\n", "")
    path.unlink()
    measured.measure()
    assert measured.records().keys() == before.keys()


@pytest.mark.parametrize("name", ["findings.json", "spindlemark.duckdb"])
def test_the_remedy_for_a_damaged_product_works(measured, name):
    path = measured.root / "data/build/current" / name
    path.write_text("{")
    out = measured.call("site", code=2)
    assert f"data/build/current/{name}: " in out and "move it away, then: ./spindlemark site" in out
    path.unlink()
    measured.call("site")
    assert (measured.root / "data/build/site/index.html").exists()


# Nobody, who may read what root may: the interpreter can lie in a folder of root's.
NOBODY = (
    "setpriv",
    "--reuid",
    "65534",
    "--regid",
    "65534",
    "--clear-groups",
    "--inh-caps",
    "+dac_read_search",
    "--ambient-caps",
    "+dac_read_search",
    "env",
    "-u",
    "XDG_CACHE_HOME",
)


def test_without_root_the_site_is_still_built(measured):
    subprocess.run(["chown", "-R", "65534:65534", measured.root], check=True)
    (measured.root / "data/build/site/index.html").unlink()
    before = measured.records()
    out = measured.call("run", prefix=(*NOBODY, f"HOME={measured.root}"))
    assert "needs root" in out
    assert (measured.root / "data/build/site/index.html").exists()
    assert measured.records() == before
