"""Provide a file by FUSE, and log each write and flush before it is done: write_recorder.py FOLDER NAME IMAGE LOG.

A process of its own, next to the measurement. It mounts FOLDER with the single file NAME, whose content is in IMAGE, and
writes LOG (write_log.py). It ends when it cannot log something, since an incomplete log would be useless.
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
_LOOP_ENDED = 8  # libfuse returns this after SIGTERM, when it has unmounted


class Disk(mfusepy.Operations):
    """The file, with the operations that a loop device and our mark need. Without fallocate, so zeros are written."""

    use_ns = True  # the type of time stamps; mfusepy requires a choice

    def __init__(self, name: str, image: int, log: int) -> None:
        self._path, self._image, self._log = f"/{name}", image, log
        self._attributes: dict[str, bytes] = {}

    def init(self, path: str) -> None:
        """Leave the mount namespace of the file's users, in which the file was mounted before.

        The last process of a namespace unmounts everything in it before it closes its files. This process would then
        wait for itself permanently, because filesystems are mounted from its file.
        """
        kernel.own_mount_namespace()

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        """The folder, or the file with the size of its image."""
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o700, "st_nlink": 2}
        self._require(path)
        return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": os.fstat(self._image).st_size}

    def open(self, path: str, flags: int) -> int:
        """Open the file; FUSE checks the permission."""
        self._require(path)
        return 0

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        """Read from the image."""
        return os.pread(self._image, size, offset)

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        """Log the write, then do it."""
        try:
            write_log.append(self._log, offset, data)
            if os.pwrite(self._image, data, offset) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            _end(error)
        return len(data)

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        """Log a flush of the disk's cache."""
        try:
            write_log.append(self._log)
        except OSError as error:
            _end(error)
        return 0

    def setxattr(self, path: str, name: str, value: bytes, options: int, position: int = 0) -> int:
        """Set an attribute, for this program's mark."""
        self._attributes[name] = value
        return 0

    def getxattr(self, path: str, name: str, position: int = 0) -> bytes:
        """Get an attribute."""
        if name not in self._attributes:
            raise OSError(errno.ENODATA, os.strerror(errno.ENODATA))
        return self._attributes[name]

    def _require(self, path: str) -> None:
        if path != self._path:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))


def main(folder: str, name: str, image: str, log: str) -> None:
    """Provide the file until it is unmounted or a signal comes. One thread, so that the writes have one order."""
    # Otherwise its own memory allocations could wait for write-back to its file.
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
    """End the process: after an exception FUSE would report an error of the disk and go on."""
    print(error.strerror, file=sys.stderr, flush=True)
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
