"""A power cut while a small editor works, recorded and replayed in a process of its own: cutting.py WORD ...

Prints what was seen as JSON. A file of blocks holds its version in each byte, so that every torn state can be told.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from spindlemark import config
from spindlemark.core import errors
from spindlemark.families.hdf5_edit.crash import crash_points, replay
from spindlemark.testbeds import kernel, recorded, write_log

BLOCK, BLOCKS, ROOM, MOST = 4096, 6, 1 << 30, 10
# The least that each can be made in.
SIZES = {"ext4": 48 << 20, "xfs": 300 << 20, "btrfs": 128 << 20}
NAME = "cut"


def in_place(file: Path) -> None:
    """Block by block, as an editor that keeps no copy, however often it syncs."""
    with file.open("r+b", buffering=0) as opened:
        for _ in range(BLOCKS):
            opened.write(b"2" * BLOCK)
            os.fsync(opened.fileno())


def aside(file: Path) -> None:
    """Another file, synced, then renamed, and the folder synced."""
    other = file.with_name("other")
    with other.open("xb") as opened:
        opened.write(b"2" * BLOCK * BLOCKS)
        opened.flush()
        os.fsync(opened.fileno())
    other.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def judged(file: Path) -> str:
    """before, after, or lost."""
    content = file.read_bytes() if file.exists() else b""
    whole = {version * BLOCK * BLOCKS: state for version, state in ((b"1", "before"), (b"2", "after"))}
    return whole.get(content, "lost")


def filesystem(name: str) -> dict:
    declared = config.load().filesystems[name]
    return {"mkfs": declared.mkfs, "mount": [], "module": declared.module, "check": declared.check}


def record(folder: Path, name: str, edit: Callable[[Path], None]) -> tuple[recorded.Disk, int, int]:
    """The disk after an edit, with the numbers of its entries when it began and when it was acknowledged."""
    with recorded.mounted(SimpleNamespace(commands=[]), folder, NAME, filesystem(name), SIZES[name]) as disk:
        file = disk.point / "file"
        file.write_bytes(b"1" * BLOCK * BLOCKS)
        begin = disk.synced_entries()
        edit(file)
        acknowledged = disk.entries()
        assert judged(file) == "after"
    return disk, begin, acknowledged


def seen(disk: recorded.Disk, wanted: list[crash_points.Point]) -> list[list]:
    return [
        [at.point.upto, at.state, at.checked]
        for at in replay.replayed(disk, wanted, lambda _, folder: judged(folder / "file"))
    ]


def cut(name: str, way: str) -> dict:
    with recorded.work_folder(ROOM) as folder:
        disk, begin, acknowledged = record(folder, name, globals()[way])
        entries = write_log.entries(disk.log)
        return {
            "acknowledged": acknowledged,
            "agrees": replay.agrees(disk),
            "in_order": seen(disk, crash_points.in_order(entries, begin, MOST, 1)),
            "reordered": seen(disk, crash_points.reordered(entries, begin, 3, 1)),
        }


def damaged(name: str) -> list:
    """The same disk with its first superblock written over, and with all of it written over."""
    with recorded.work_folder(ROOM) as folder:
        disk, *_ = record(folder, name, aside)
        whole = len(write_log.entries(disk.log))
        with disk.log.open("ab", buffering=0) as log:
            write_log.append(log.fileno(), 1024, bytes(1024))
            for offset in range(0, SIZES[name], 8 << 20):
                write_log.append(log.fileno(), offset, bytes(8 << 20))
        return seen(disk, [crash_points.Point(upto) for upto in (whole, whole + 1, len(write_log.entries(disk.log)))])


def full(name: str) -> None:
    """A workshop that is too small for what is written."""
    with recorded.work_folder(40 << 20) as folder:
        record(folder, name, lambda file: file.with_name("large").write_bytes(os.urandom(30 << 20)))


def held(name: str, where: str) -> None:
    """Say where it is, and wait to be killed: while the disk is recorded, or while a point of it is mounted."""

    def hold(*_: object) -> str:
        print(json.dumps(where), flush=True)
        time.sleep(600)
        return ""

    with recorded.work_folder(ROOM) as folder:
        disk, begin, _ = record(folder, name, hold if where == "record" else aside)
        list(replay.replayed(disk, [crash_points.Point(begin)], hold))


if __name__ == "__main__":
    kernel.own_mount_namespace()
    try:
        print(json.dumps({"cut": cut, "damaged": damaged, "full": full, "held": held}[sys.argv[1]](*sys.argv[2:])))
    except Exception as error:
        told = errors.as_user_error(error)
        if told is None:
            raise
        sys.exit(str(told))
