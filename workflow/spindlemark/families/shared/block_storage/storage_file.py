"""The file that a library holds: Python's raw file on a place, and Python's own buffer over it where that is wanted."""

import io
from typing import TYPE_CHECKING, BinaryIO

from spindlemark.families.shared.block_storage.backends import Place

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


class Opened(io.RawIOBase):
    """A raw file of `length` bytes on a place. Each call that moves bytes is one request to it."""

    def __init__(self, place: Place, length: int, writable: bool) -> None:
        self.length, self._place, self._writable, self._at = length, place, writable, 0

    def readable(self) -> bool:
        """As io.IOBase."""
        return True

    def writable(self) -> bool:
        """As io.IOBase."""
        return self._writable

    def seekable(self) -> bool:
        """As io.IOBase."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """As io.RawIOBase."""
        view = memoryview(buffer).cast("B")
        count = max(0, min(len(view), self.length - self._at))
        if count:
            view[:count] = self._place.read(self._at, count)
            self._at += count
        return count

    def write(self, data: "ReadableBuffer") -> int:
        """As io.RawIOBase."""
        raw = bytes(data)
        if raw:
            self._place.write(self._at, raw)
        self._at += len(raw)
        self.length = max(self.length, self._at)
        return len(raw)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As io.IOBase."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.length}[whence]
        return self._at

    def tell(self) -> int:
        """As io.IOBase."""
        return self._at

    def truncate(self, size: int | None = None) -> int:
        """As io.IOBase: the file is the first `length` bytes of its place, which may hold more; what it grows by is zeros."""
        size = self._at if size is None else size
        if size > self.length:
            self._place.write(self.length, bytes(size - self.length))
        self.length = size
        return size

    def close(self) -> None:
        """Close the place too."""
        if not self.closed:
            super().close()
            self._place.close()


def buffered(raw: Opened) -> BinaryIO:
    """The raw file behind the buffer that `open` gives to every file."""
    return io.BufferedRandom(raw) if raw.writable() else io.BufferedReader(raw)
