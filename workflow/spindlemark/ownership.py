"""What root writes in somebody's clone is theirs: they can run, build and delete it without root."""

import os
import stat
from pathlib import Path

from spindlemark.paths import ROOT

IMAGE = ".img"  # the file behind a device that is measured at this moment


def give_back(root: Path = ROOT) -> None:
    """Give everything of root's below `root` to its owner; does nothing where that is root, or for other users.

    Nothing is followed out of the folder: neither links nor mounts, nor a second name of a file that lies elsewhere.
    """
    owner = root.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        return
    for _, folders, files, folder in os.fwalk(root, follow_symlinks=False):
        here = os.fstat(folder)
        if here.st_dev != owner.st_dev:
            folders.clear()
            continue
        _give(folder, ".", owner)
        for name in (*files, *folders):
            if not name.endswith(IMAGE):
                _give(folder, name, owner)


def _give(folder: int, name: str, owner: os.stat_result) -> None:
    """Change the owner of what was opened, and of nothing that was put in its place."""
    try:
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # it is gone
    try:
        found = os.fstat(descriptor)
        alone = found.st_nlink == 1 or stat.S_ISDIR(found.st_mode)
        if found.st_uid != 0 or found.st_dev != owner.st_dev or not alone:
            return
        if stat.S_ISLNK(found.st_mode):
            os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)
        else:
            os.chown(f"/proc/self/fd/{descriptor}", owner.st_uid, owner.st_gid)
    except OSError:
        pass  # the filesystem knows no owners, or does not let go: the next run tries again
    finally:
        os.close(descriptor)
