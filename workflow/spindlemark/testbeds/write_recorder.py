"""Shows a file by FUSE that notes each write and each flush before it answers: recorder.py FOLDER NAME IMAGE LOG.

A process of its own, beside the measurement. FOLDER is where it shows the one file NAME, IMAGE keeps what that holds,
and LOG what was done to it (writes.py). What it cannot keep ends it: a record with a gap would be none.
"""

import ctypes
import errno
import os
import stat
import sys
from typing import Any, NoReturn

import mfusepy

from spindlemark.testbeds import kernel, write_log

_SET_IO_FLUSHER = 57  # of linux/prctl.h
_LOOP_ENDED = 8  # what libfuse returns, once it has unmounted, after SIGTERM


class Disk(mfusepy.Operations):
    """The file. Only what a loop device and this program's mark ask for: no allocation, so that zeros are written."""

    use_ns = True  # the type of time stamps, which there are none of

    def __init__(self, name: str, image: int, log: int) -> None:
        self._path, self._image, self._log = f"/{name}", image, log
        self._attributes: dict[str, bytes] = {}

    def init(self, path: str) -> None:
        """Leave the mount namespace of those who use the file, which was mounted before this.

        A process that ends last in a namespace unmounts what is in it before it closes its files: this one would wait
        for itself, for ever, with whatever was mounted from its file.
        """
        kernel.own_mount_namespace()

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        """The folder, or the file with the size of its image."""
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o700, "st_nlink": 2}
        self._require(path)
        return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": os.fstat(self._image).st_size}

    def open(self, path: str, flags: int) -> int:
        """Anybody who is let in may."""
        self._require(path)
        return 0

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        """What was written."""
        return os.pread(self._image, size, offset)

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        """Note it, then do it."""
        try:
            write_log.append(self._log, offset, data)
            if os.pwrite(self._image, data, offset) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            _end(error)
        return len(data)

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        """A flush of the disk's cache."""
        try:
            write_log.append(self._log)
        except OSError as error:
            _end(error)
        return 0

    def setxattr(self, path: str, name: str, value: bytes, options: int, position: int = 0) -> int:
        """The mark of who made the file."""
        self._attributes[name] = value
        return 0

    def getxattr(self, path: str, name: str, position: int = 0) -> bytes:
        """The same."""
        if name not in self._attributes:
            raise OSError(errno.ENODATA, os.strerror(errno.ENODATA))
        return self._attributes[name]

    def _require(self, path: str) -> None:
        if path != self._path:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))


def main(folder: str, name: str, image: str, log: str) -> None:
    """Show the file until it is unmounted or a signal asks for the end; one thread, so that there is one order."""
    # Else its own wish for memory could wait for what the kernel writes to its file.
    ctypes.CDLL(None).prctl(_SET_IO_FLUSHER, 1, 0, 0, 0)
    kept, noted = os.open(image, os.O_RDWR), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        mfusepy.FUSE(
            Disk(name, kept, noted), folder, foreground=True, nothreads=True, direct_io=True, fsname="spindlemark"
        )
    except RuntimeError as ended:
        if ended.args != (_LOOP_ENDED,):
            raise


def _end(error: OSError) -> NoReturn:
    """An exception would be answered as an error of the disk, and it would go on."""
    print(error.strerror, file=sys.stderr, flush=True)
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
