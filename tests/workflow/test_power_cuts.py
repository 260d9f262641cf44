"""Power cuts below real filesystems: recorded, replayed, and never left behind."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spindlemark.core import private_files
from spindlemark.core.paths import ROOT
from spindlemark.testbeds import kernel, mountpoint

PROGRAM = ROOT / "tests/helpers/cutting.py"
pytestmark = pytest.mark.usefixtures("needs_root")


def start(*words: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-P", PROGRAM, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(*words: str, code: int = 0) -> tuple[str, str]:
    process = start(*words)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert left(process.pid) == []
    return out, err


def left(pid: int) -> list[str]:
    """Loop devices, mounts of any namespace, processes and folders of a process that has ended."""
    name = f"{mountpoint.RECORDED}-{pid}"
    loops = [loop.name for loop in kernel.loops() if name in str(loop.backing)]
    mounts = [str(mount.point) for mount in kernel.mounts_everywhere() if name in str(mount.point)]
    words = [p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline")]
    folders = [str(folder) for folder in private_files.RUN.glob(name)]
    return [*loops, *mounts, *(str(w) for w in words if name.encode() in w), *folders]


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs"])
def test_an_edit_in_place_is_lost_at_some_points_and_one_aside_at_none(filesystem):
    lossy, safe = (json.loads(ended("cut", filesystem, way)[0]) for way in ("in_place", "aside"))
    for found in (lossy, safe):
        states = [state for _, state, _ in found["in_order"]]
        assert found["agrees"] and (states[0], states[-1]) == ("before", "after")
        assert not any(checked for _, _, checked in found["in_order"])
    assert "lost" in {state for _, state, _ in lossy["in_order"]}
    for upto, state, _ in [*safe["in_order"], *safe["reordered"]]:
        assert state in (("after",) if upto >= safe["acknowledged"] else ("before", "after"))


def test_what_cannot_be_mounted_is_checked_as_its_owner_would_and_told_when_that_does_not_help():
    whole, mended, gone = json.loads(ended("damaged", "ext4")[0])
    assert (whole[1:], mended[1:]) == (["after", False], ["after", True])
    assert gone[1] == "unmountable"


def test_no_room_for_the_record_is_told_and_is_no_failure_of_the_filesystem():
    _, err = ended("full", "ext4", code=1)
    assert "the disk is full" in err and "free some space" in err


@pytest.mark.parametrize("where", ["record", "replay"])
def test_killed_it_leaves_nothing_but_an_empty_folder_which_the_next_start_takes_away(where):
    process = start("held", "ext4", where)
    assert json.loads(process.stdout.readline()) == where
    process.kill()
    process.communicate(timeout=60)
    folder = private_files.RUN / f"{mountpoint.RECORDED}-{process.pid}"
    for _ in range(100):
        if left(process.pid) == [str(folder)]:
            break
        time.sleep(0.1)
    assert left(process.pid) == [str(folder)] and list(folder.iterdir()) == []
    mountpoint.own()
    assert left(process.pid) == []
