"""The log of what was written to a disk, in its order: one entry for each write and for each flush of its cache.

Needs nothing but Python: the recorder is a process of its own, and starts at once.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEAD = struct.Struct("<QQ")  # offset on the disk, bytes that follow: none are a flush


@dataclass(frozen=True)
class Entry:
    """One write, or a flush, which writes 0 bytes. `at` is where its bytes lie in the log."""

    offset: int
    size: int
    at: int

    @property
    def is_flush(self) -> bool:
        """Whether the disk was asked to keep all that it had taken before."""
        return self.size == 0


def append(descriptor: int, offset: int = 0, data: bytes = b"") -> None:
    """Note a write, or without bytes a flush; raises OSError when there is no room for all of it."""
    entry = memoryview(_HEAD.pack(offset, len(data)) + data)
    while entry:  # a full disk takes a part first
        entry = entry[os.write(descriptor, entry) :]


def entries(log: Path) -> list[Entry]:
    """All entries of a log; one that is not whole, as after a full disk, raises ValueError."""
    return list(_entries(log))


def apply(log: Path, wanted: list[Entry], image: int) -> None:
    """Write the entries to the descriptor of an image, in their order. Zeros take no room where nothing was."""
    source = os.open(log, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for entry in wanted:
            data = os.pread(source, entry.size, entry.at)
            if os.pread(image, entry.size, entry.offset) != data:
                os.pwrite(image, data, entry.offset)
    finally:
        os.close(source)


def _entries(log: Path) -> Iterator[Entry]:
    at, end = 0, log.stat().st_size
    with log.open("rb") as file:
        while at < end:
            head = file.read(_HEAD.size)
            offset, size = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, end)
            at += _HEAD.size
            if at + size > end:
                raise ValueError(f"{log}: its last entry is not whole")
            yield Entry(offset, size, at)
            at += size
            file.seek(at)
