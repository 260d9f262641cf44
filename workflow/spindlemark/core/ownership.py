"""Ownership of a clone: what root writes belongs to the clone's owner, who can run, build and delete it without root.

Uses the standard library alone, because it also runs where the environment could not be created.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spindlemark.core.paths import ROOT
from spindlemark.core.private_files import MARK


def give_back(root: Path = ROOT) -> None:
    """Give root's files below `root` to the owner of `root`. Do nothing if that is root, or if we are not root.

    Links and mounts are not followed, and files with another hard link outside the folder stay unchanged. Marked files
    and folders stay root's: they are in use, or the next clean-up removes them. Every file is opened relative to the
    descriptor of its folder, so that a folder which someone exchanges meanwhile leads nowhere else.
    """
    owner = root.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        return
    names: dict[tuple[int, ...], set[tuple[int, str]]] = {}  # a file with several names -> (inode of the folder, name)
    for folder, name, found in _below(root, owner):
        if _has_several(found):
            names.setdefault(_identity(found), set()).add((os.fstat(folder).st_ino, name))
        else:
            _give(folder, name, found, owner)
    if names:
        for folder, name, found in _below(root, owner):
            if _has_several(found) and len(names.get(_identity(found), ())) >= found.st_nlink:
                _give(folder, name, found, owner)


def _below(root: Path, owner: os.stat_result) -> Iterator[tuple[int, str, os.stat_result]]:
    """Yield descriptor of the folder, name and status of everything on the filesystem of `root` that may change hands."""
    for _, folders, files, folder in os.fwalk(root, follow_symlinks=False):
        if os.fstat(folder).st_dev != owner.st_dev or _marked(folder):
            folders.clear()
            continue
        for name in (".", *files, *folders):
            with suppress(FileNotFoundError):  # it is gone
                yield folder, name, os.stat(name, dir_fd=folder, follow_symlinks=False)


def _has_several(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and found.st_nlink > 1


def _identity(found: os.stat_result) -> tuple[int, ...]:
    """Inode and, for a file with several names, when its names last changed: a renamed file is counted twice."""
    return (found.st_ino, found.st_nlink, found.st_ctime_ns) if _has_several(found) else (found.st_ino,)


def _marked(descriptor: int) -> bool:
    try:
        return bool(os.getxattr(f"/proc/self/fd/{descriptor}", MARK))
    except OSError:
        return False


def _give(folder: int, name: str, expected: os.stat_result, owner: os.stat_result) -> None:
    """Change the owner of the opened file itself, unless it is not the expected one any more."""
    try:
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # it is gone
    try:
        found = os.fstat(descriptor)
        exchanged = found.st_dev != owner.st_dev or _identity(found) != _identity(expected)
        if found.st_uid == 0 and not exchanged and not _marked(descriptor):
            os.chown(f"/proc/self/fd/{descriptor}", owner.st_uid, owner.st_gid)
    except OSError:
        pass  # the filesystem has no owners, or refuses: the next run tries again
    finally:
        os.close(descriptor)
