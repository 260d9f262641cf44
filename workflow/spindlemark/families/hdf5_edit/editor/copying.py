"""Copies of a whole file, each made in one way and no other; and what makes them last."""

import ctypes
import errno
import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from spindlemark.core.errors import UserError

FICLONE = 0x40049409  # ioctl_ficlone(2)
CHUNK = 1 << 20
_CANNOT_CLONE = {errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS}
_libc = ctypes.CDLL(None, use_errno=True)


class NoReflinkError(Exception):
    """The filesystem shares no blocks between files."""


def by_reading(source: int, target: int) -> None:
    """Read and write: what no filesystem can turn into anything else."""
    while data := os.read(source, CHUNK):
        whole = memoryview(data)
        while whole:
            whole = whole[os.write(target, whole) :]


def by_range(source: int, target: int) -> None:
    """copy_file_range(2): the kernel copies, or shares blocks where the filesystem can. In pieces, so that a part can be there."""
    while os.copy_file_range(source, target, CHUNK):
        pass


def by_reflink(source: int, target: int) -> None:
    """FICLONE: blocks are shared until one of the files changes. Raises NoReflinkError where they cannot be."""
    try:
        fcntl.ioctl(target, FICLONE, source)
    except OSError as error:
        if error.errno in _CANNOT_CLONE:
            raise NoReflinkError(
                f"{os.strerror(error.errno or 0)}: this filesystem shares no blocks between files"
            ) from None
        raise


WAYS: dict[str, Callable[[int, int], None]] = {"copy": by_reading, "range": by_range, "reflink": by_reflink}


def copy(source: Path, target: Path, way: str, sync: bool) -> None:
    """Make `target`, which does not exist, with owner and rights of `source`; a half of one is removed.

    With `sync` it and its name are on the device when this returns. Raises NoReflinkError; UserError where the disk is full.
    """
    begun = False
    try:
        with source.open("rb", buffering=0) as old, target.open("xb", buffering=0) as new:
            begun = True
            _give(new.fileno(), os.fstat(old.fileno()))
            WAYS[way](old.fileno(), new.fileno())
            if sync:
                os.fsync(new.fileno())
        if sync:
            sync_folder(target.parent)
    except BaseException as error:
        if begun:
            target.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise UserError(
                f"{target}: {error.strerror}: {source.name} was not changed",
                "free as much space as the file takes, or edit without a copy",
            ) from None
        raise


def _give(target: int, like: os.stat_result) -> None:
    """Owner and rights: what root edits stays its owner's."""
    made = os.fstat(target)
    if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
        with suppress(PermissionError):  # only root gives files away
            os.fchown(target, like.st_uid, like.st_gid)
    os.fchmod(target, like.st_mode & 0o7777)


def sync_file(path: Path) -> None:
    """fsync(2)."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


sync_folder = sync_file  # a folder is opened and synced as a file is


def used_bytes(folder: Path) -> int:
    """Bytes of its filesystem that are in use, once all that was written has its place (syncfs(2))."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _libc.syncfs(descriptor)
        stat = os.fstatvfs(descriptor)
        return (stat.f_blocks - stat.f_bfree) * stat.f_frsize
    finally:
        os.close(descriptor)
