"""The mark of files and folders that this program made and may remove: an attribute that only root can set or read.

It contains the file's device and inode, its folder and name, and the boot in which it was made. A copy, for example in
a snapshot of the filesystem, has the same mark, which then does not match.
"""

import json
import os
from pathlib import Path

from spindlemark.core import private_files

NAME = private_files.MARK


def put(descriptor: int, path: Path, testbed: str) -> None:
    """Mark an open file or folder as made for the testbed; `path` is its present or future path."""
    found = os.fstat(descriptor)
    content = {
        "testbed": testbed,
        "device": found.st_dev,
        "inode": found.st_ino,
        "folder": str(path.parent.resolve()),
        "name": path.name,
        "boot": private_files.boot(),
    }
    os.setxattr(descriptor, NAME, json.dumps(content).encode())


def problem(
    descriptor: int, path: Path, testbed: str | None = None, *, left: bool = False, renamed: bool = False
) -> str | None:
    """Say why an open file or folder does not match its mark (for `testbed`); None when it does.

    `left`: it may have been made before the last boot, after which its device can have another number. That is enough
    to remove it. `renamed`: it may have another name by now.
    """
    try:
        mark = json.loads(os.getxattr(descriptor, NAME))
    except (OSError, ValueError):
        return f"{path} does not have this program's mark"
    if not isinstance(mark, dict) or "boot" not in mark:
        return f"{path} has the mark of an earlier version of this program"
    found, same_boot = os.fstat(descriptor), mark["boot"] == private_files.boot()
    if mark.get("inode") != found.st_ino or (same_boot and mark.get("device") != found.st_dev):
        return f"{path} has the mark of another file"
    if not renamed and (mark.get("folder"), mark.get("name")) != (str(path.parent.resolve()), path.name):
        return f"{path} was made as {mark.get('folder')}/{mark.get('name')}"
    if not (same_boot or left):
        return f"{path} was made before the last boot of this machine"
    if testbed is not None and mark.get("testbed") != testbed:
        return f"{path} belongs to testbed {mark.get('testbed')}"
    return None
