"""Readahead: how much the kernel reads beyond what was asked for, of a disk's queue and of a filesystem that ignores it."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spindlemark.testbeds import disk, tuning

_BTRFS = Path("/sys/fs/btrfs")


def set_to(testbed: str, name: str, kibibytes: str) -> None:
    """Set it for the disk `name` and for what is mounted from it; `tuning.put_back` undoes it."""
    for file in _files(name):
        if (before := file.read_text().strip()) != kibibytes:
            with suppress(FileNotFoundError):
                tuning.change(testbed, file, kibibytes, before)


def _files(name: str) -> Iterator[Path]:
    yield disk.sysfs_of(name) / "queue" / "read_ahead_kb"
    # btrfs has a value of its own, whatever the queue says: the queues of its devices are not asked.
    for member in _BTRFS.glob(f"*/devices/{name}"):
        yield member.parents[1] / "bdi" / "read_ahead_kb"
