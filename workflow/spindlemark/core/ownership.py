"""What root writes in somebody's clone is theirs: they can run, build and delete it without root.

Uses the standard library alone: it is asked for, too, where the environment could not be made.
"""

import os
import stat
from pathlib import Path

from spindlemark.core.paths import ROOT
from spindlemark.core.private_files import MARK


def give_back(root: Path = ROOT) -> None:
    """Give everything of root's below `root` to its owner; does nothing where that is root, or for other users.

    Nothing is followed out of the folder: neither links nor mounts, nor a file that has another name elsewhere. What
    carries our mark stays root's: it is in use, or the next clean-up takes it away.
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
    """Change the owner of what was opened, and of nothing put in its place, unless it has more names than these."""
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
        pass  # the filesystem knows no owners, or does not let go: the next run tries again
    finally:
        os.close(descriptor)
