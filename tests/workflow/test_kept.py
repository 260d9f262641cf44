"""No finished result is lost: kills aimed at the moment after a record appears, and jobs that outlive their workflow."""

import contextlib
import os
import signal
import time
from pathlib import Path

import pytest

from project import Project, leftovers

AIMED = 8  # each at the same moment


@pytest.fixture
def fresh(tmp_path, needs_root):
    """One experiment, with as many repetitions as there are kills."""
    project = Project(tmp_path / "project")
    project.replace("config/experiments/filesystem_lifecycle.yaml", "[ext4, xfs]", "[ext4]")
    project.replace("config/experiments/filesystem_lifecycle.yaml", "[picture, sound]", "[picture]")
    project.replace("config/profiles/tiny.yaml", "repetitions: 1", f"repetitions: {AIMED}")
    return project


def drivers(project: Project) -> list[int]:
    """Process numbers of what measures in this project now."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if (
                b"spindlemark.measure" in words
                and b"--repetition" in words
                and (entry / "cwd").readlink() == project.root
                and words[0].endswith(b"python")
            ):
                found.append(int(entry.name))
    return found


def test_a_kill_right_after_a_record_appeared_loses_nothing(fresh):
    """Each driver is killed at the very moment at which its record has its name, and says so before."""
    witness = fresh.root / "witness"
    named = "        os.link(partial, path)"
    fresh.replace(
        "workflow/spindlemark/core/record_store.py",
        named,
        f"""{named}
        with open({str(witness)!r}, "a") as file:
            file.write(f"{{path.stat().st_ino}}\\n")
        os.kill(os.getpid(), 9)""",
    )
    out = fresh.measure(seconds=1200)
    killed = [int(line) for line in witness.read_text().splitlines()]
    assert len(killed) == AIMED, "each was measured and killed once"
    assert sorted(path.stat().st_ino for path in fresh.root.glob("data/raw/*/*/*/*/rep-*.json")) == sorted(killed), out
    assert leftovers(fresh.root) == []


def test_a_job_that_outlives_its_workflow_finishes_its_result(fresh):
    """kill -9 of Snakemake alone leaves the driver; the next run waits for it and takes its record as it is."""
    fresh.replace("config/profiles/tiny.yaml", f"repetitions: {AIMED}", "repetitions: 3")
    fresh.link_environment()
    process = fresh.shell("exec .venv/bin/snakemake --workflow-profile workflow/profiles/default")
    give_up = time.monotonic() + 600  # another project may measure first
    while not (alive := drivers(fresh)) and time.monotonic() < give_up:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    out = fresh.measure()
    assert alive and len(fresh.records()) == 3, out
    assert leftovers(fresh.root) == []
