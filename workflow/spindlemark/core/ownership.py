"""Ownership of a clone: what root writes belongs to the clone's owner, who can run, build and delete it without root.

Uses the standard library alone, because it also runs where the environment could not be created.
"""

import os
import stat
from pathlib import Path

from spindlemark.core.paths import ROOT
from spindlemark.core.private_files import MARK


def give_back(root: Path = ROOT) -> None:
    """Give root's files below `root` to the owner of `root`. Do nothing if that is root, or if we are not root.

    Links and mounts are not followed, and files with another hard link outside the folder stay unchanged. Marked files
    and folders stay root's: they are in use, or the next clean-up removes them.
    """
    owner = root.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        return
    several: dict[int, list[str]] = {}
    for place, folders, files, folder in os.fwalk(root, follow_symlinks=False):
        if os.fstat(folder).st_dev != owner.st_dev or _marked(folder):
            folders.clear()
            continue
        _give(folder, ".", owner, 1)
        for name in (*files, *folders):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
                several.setdefault(found.st_ino, []).append(f"{place}/{name}")
            else:
                _give(folder, name, owner, 1)
    for names in several.values():
        _give(None, names[0], owner, len(names))


def _marked(descriptor: int) -> bool:
    try:
        return bool(os.getxattr(f"/proc/self/fd/{descriptor}", MARK))
    except OSError:
        return False


def _give(folder: int | None, name: str, owner: os.stat_result, names: int) -> None:
    """Change the owner of the opened file itself, unless it has more hard links than `names`."""
    try:
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # it is gone
    try:
        found = os.fstat(descriptor)
        all_here = found.st_nlink <= names or stat.S_ISDIR(found.st_mode)
        if found.st_uid != 0 or found.st_dev != owner.st_dev or not all_here or _marked(descriptor):
            return
        if stat.S_ISLNK(found.st_mode):
            os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)
        else:
            os.chown(f"/proc/self/fd/{descriptor}", owner.st_uid, owner.st_gid)
    except OSError:
        pass  # the filesystem has no owners, or refuses: the next run tries again
    finally:
        os.close(descriptor)
