"""The mark of what this program made and may take away: an attribute that only root can set or read.

It names the file or folder itself (device, inode), where it lies (folder, name) and in which run of the kernel it was
made. A copy carries it too, as in a snapshot of its filesystem, but does not fit it.
"""

import json
import os
from pathlib import Path

from spindlemark.core import private_files

NAME = private_files.MARK


def put(descriptor: int, path: Path, testbed: str) -> None:
    """Mark what is open as made for the testbed, and as what lies or is going to lie at `path`."""
    found = os.fstat(descriptor)
    said = {
        "testbed": testbed,
        "device": found.st_dev,
        "inode": found.st_ino,
        "folder": str(path.parent.resolve()),
        "name": path.name,
        "boot": private_files.boot(),
    }
    os.setxattr(descriptor, NAME, json.dumps(said).encode())


def complaint(
    descriptor: int, path: Path, testbed: str | None = None, *, left: bool = False, renamed: bool = False
) -> str | None:
    """Why what is open does not fit the mark that it carries (for `testbed`); None when it does.

    `left` may have been made before the last start of the machine, which may change the number of its device: enough
    to take it away. `renamed` may lie under another name by now.
    """
    try:
        mark = json.loads(os.getxattr(descriptor, NAME))
    except (OSError, ValueError):
        return f"{path} does not carry this program's mark"
    if not isinstance(mark, dict) or "boot" not in mark:
        return f"{path} carries the mark of an earlier version of this program"
    found, same_boot = os.fstat(descriptor), mark["boot"] == private_files.boot()
    if mark.get("inode") != found.st_ino or (same_boot and mark.get("device") != found.st_dev):
        return f"{path} carries the mark of another file"
    if not renamed and (mark.get("folder"), mark.get("name")) != (str(path.parent.resolve()), path.name):
        return f"{path} was made as {mark.get('folder')}/{mark.get('name')}"
    if not (same_boot or left):
        return f"{path} was made before the last start of this machine"
    if testbed is not None and mark.get("testbed") != testbed:
        return f"{path} belongs to testbed {mark.get('testbed')}"
    return None
