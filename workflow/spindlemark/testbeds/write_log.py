"""The log of writes to a disk, in their order: one entry for each write and for each flush of the disk's cache.

Needs only Python, so that the recorder, which is a process of its own, starts quickly.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEAD = struct.Struct("<QQ")  # offset on the disk, number of bytes that follow: 0 is a flush


@dataclass(frozen=True)
class Entry:
    """One write, or a flush, which writes 0 bytes. `at` is the offset of its bytes in the log."""

    offset: int
    size: int
    at: int

    @property
    def is_flush(self) -> bool:
        """Whether it is a flush."""
        return self.size == 0


def append(descriptor: int, offset: int = 0, data: bytes = b"") -> None:
    """Log a write, or a flush if there are no bytes; raises OSError when there is no space."""
    entry = memoryview(_HEAD.pack(offset, len(data)) + data)
    while entry:  # a write may be short, for example just before the disk is full
        entry = entry[os.write(descriptor, entry) :]


def entries(log: Path) -> list[Entry]:
    """All entries of a log; raises ValueError for an incomplete one, for example after a full disk."""
    return list(_entries(log))


def apply(log: Path, wanted: list[Entry], image: int) -> None:
    """Write the entries to the descriptor of an image, in their order. Bytes that it has already are not written."""
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
                raise ValueError(f"{log}: its last entry is incomplete")
            yield Entry(offset, size, at)
            at += size
            file.seek(at)
