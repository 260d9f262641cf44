"""Readahead: how much the kernel reads beyond a request, as a setting of a disk's queue and of btrfs."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spindlemark.testbeds import disk, kernel_settings

_BTRFS = Path("/sys/fs/btrfs")


def set_to(testbed: str, name: str, kibibytes: str) -> None:
    """Set it for the disk `name` and for filesystems mounted from it; `kernel_settings.restore` undoes it."""
    for file in _files(name):
        if (before := file.read_text().strip()) != kibibytes:
            with suppress(FileNotFoundError):
                kernel_settings.change(testbed, file, kibibytes, before)


def _files(name: str) -> Iterator[Path]:
    yield disk.sysfs_of(name) / "queue" / "read_ahead_kb"
    # btrfs has a value of its own and ignores those of its devices' queues.
    for member in _BTRFS.glob(f"*/devices/{name}"):
        yield member.parents[1] / "bdi" / "read_ahead_kb"
