"""The benchmark of kills (tests/bench): it sees each kind of thing that a measurement can leave, and judges rounds."""

import os
import signal
import subprocess
import sys
import uuid
from contextlib import contextmanager
from pathlib import Path

import pytest

import kills_round
from disks import MIB, call, running
from kills_leftovers import Left, survey
from kills_round import ALL, COMMAND, DRIVER, SNAKEMAKE, Round
from spindlemark.core import private_files
from spindlemark.core.paths import folder_name
from spindlemark.testbeds import control_groups

pytestmark = pytest.mark.usefixtures("needs_root")
OWNER = 10_001


@pytest.fixture
def clone(tmp_path):
    root = tmp_path / "clone"
    (root / "data/build").mkdir(parents=True)
    (tmp_path / "tmp").mkdir()
    for path in (root, *root.rglob("*")):
        os.chown(path, OWNER, OWNER)
    return root


@contextmanager
def loop(root):
    (root / "x").write_bytes(bytes(MIB))
    node = call("losetup", "--find", "--show", root / "x")
    yield f"{Path(node).name} {root}/x"
    call("losetup", "--detach", node)


@contextmanager
def mounted(root):
    call("mount", "-t", "tmpfs", "spindlemark", root / "data")
    yield f"{root}/data tmpfs spindlemark"
    call("umount", root / "data")


@contextmanager
def process(root):
    with running("sleep", "600") as found:
        yield f"{found.pid} sleep 600"


@contextmanager
def namespace(root):
    with running("unshare", "--net", "sh", "-c", "echo; exec sleep 600", stdout=subprocess.PIPE) as found:
        found.stdout.read(1)
        yield str(Path(f"/proc/{found.pid}/ns/net").readlink())


@contextmanager
def interface(root):
    name = f"sm{uuid.uuid4().hex[:8]}"
    call("ip", "link", "add", name, "type", "veth", "peer", "name", f"{name}p")
    yield name
    call("ip", "link", "delete", name)


@contextmanager
def group(root):
    made = control_groups.make(f"background-{os.getpid()}")
    if made is None:
        pytest.skip("no control group can be made here")
    yield str(made)
    control_groups.end_noted(f"background-{os.getpid()}")


@contextmanager
def file(path):
    path.touch()
    yield str(path)
    path.unlink()


MAKERS = {
    "loop device": loop,
    "mount": mounted,
    "process": process,
    "network namespace": namespace,
    "interface": interface,
    "control group": group,
    "note": lambda root: file(private_files.folder(private_files.RUN) / "image-x.json"),
    "state": lambda root: file(private_files.folder(private_files.STATE) / f"x{uuid.uuid4().hex}"),
    "memory": lambda root: file(Path("/dev/shm") / folder_name(root)),
    "file of root": lambda root: file(root / "x"),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_each_kind_is_seen_while_it_is_there(clone, kind):
    before = survey(clone, clone.parent / "tmp")
    with MAKERS[kind](clone) as what:
        assert Left(kind, what) in survey(clone, clone.parent / "tmp") - before
    after = survey(clone, clone.parent / "tmp")
    assert Left(kind, what) not in after


@pytest.mark.parametrize(
    "name",
    [
        "clone/data/raw/.rep-1.json.partial",
        "clone/data/build/.plan.json.77.partial",
        "clone/data/build/spindlemark-loop.img",
        "clone/data/build/running.json",
        "clone/data/build/runs/20260101T000000-1-1",
        "clone/.snakemake/locks/0.input.lock",
        "clone/data/packed.part",
        "tmp/spindlemark-hugo-abcdefgh",
    ],
)
def test_each_temporary_file_is_seen(clone, name):
    before = survey(clone, clone.parent / "tmp")
    path = clone.parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    assert Left("temporary file", str(path)) in survey(clone, clone.parent / "tmp") - before


def test_every_signal_goes_to_the_command_and_to_each_part_and_sigkill_to_all():
    played = {kills_round.targets(number) for number in range(24)}
    parts = {(sign, target) for sign in kills_round.SIGNALS for target in (COMMAND, SNAKEMAKE, DRIVER)}
    assert played == parts | {(signal.SIGKILL, ALL)}
    assert sum(kills_round.targets(number)[1] in (SNAKEMAKE, DRIVER) for number in range(24)) == 8


LEFT = [Left("mount", "x")]


@pytest.mark.parametrize(
    ("round_", "failures"),
    [
        (Round(0, "f", "SIGKILL", COMMAND, "", -9, 0, left=LEFT, left_after_next=[]), 0),
        (Round(0, "f", "SIGKILL", COMMAND, "", -9, 0, left=LEFT, left_after_next=LEFT), 1),
        (Round(0, "f", "SIGKILL", COMMAND, "", -9, 1, left=LEFT, left_after_next=[]), 1),
        (Round(0, "f", "SIGKILL", DRIVER, "", 1, 0, left_after_next=[], hung=True), 1),
        (Round(0, "f", "SIGKILL", COMMAND, "", 0, ended_before=True, left=LEFT), 1),
        (Round(0, "f", "SIGKILL", COMMAND, "", 1, ended_before=True), 1),
        (Round(0, "f", "SIGTERM", COMMAND, "", 130, 0, left=LEFT, left_after_next=[]), 1),
        (Round(0, "f", "SIGTERM", COMMAND, "", 130), 0),
        (Round(0, "f", "SIGTERM", COMMAND, "", -15), 0),
        (Round(0, "f", "SIGHUP", COMMAND, "", 130, lost=["a"], changed=["b"], invalid=["c"]), 3),
    ],
)
def test_a_round_fails_by_what_must_not_be(round_, failures):
    assert len(round_.failures()) == failures


def test_orphans_are_adopted_found_and_killed():
    """However they detach: in a process of its own, since it adopts for good."""
    code = (
        "import kills_processes as p, os, subprocess\n"
        "p.adopt_orphans()\n"
        "made = subprocess.Popen(['sh', '-c', 'setsid sleep 600 & exit 3'])\n"
        "ended = p.wait(made, lambda: made.poll() is not None, 60)\n"
        "found = [each.words for each in p.below(os.getpid()).values()]\n"
        "p.kill_all(made)\n"
        "print(ended, made.returncode, found, p.below(os.getpid()))\n"
    )
    path = str(Path(kills_round.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout in (
        "True 3 [['sleep', '600']] {}\n",
        "True 3 [['setsid', 'sleep', '600']] {}\n",
        "True 3 [['sh', '-c', 'setsid sleep 600 & exit 3']] {}\n",
    )
