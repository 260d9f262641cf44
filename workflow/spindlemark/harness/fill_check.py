"""What a filesystem holds: whether a payload fits before it is written, and what arrived after."""

import os
from pathlib import Path

from spindlemark.core.errors import ProfileError
from spindlemark.core.gate_bounds import FULLEST
from spindlemark.harness.repetition import Repetition


def require_fit(needed: int, size: int, what: str, family: str) -> None:
    """Raises ProfileError when `needed` bytes of payload are more than a device of `size` bytes may be filled with."""
    if needed > FULLEST * size:
        raise ProfileError(
            f"families.{family}: {what} needs {needed} bytes and does not fit "
            f"{FULLEST:.0%} of the image of {size} bytes",
            f"raise image_size there, or lower families.{family}.scale",
        )


def require_space(repetition: Repetition) -> None:
    """The gate `space`: the filesystem under measurement is not filled beyond what is usual."""
    stat = os.statvfs(repetition.testbed.mount_point)
    share = (stat.f_blocks - stat.f_bfree) / stat.f_blocks
    repetition.require("space", share <= FULLEST, share, FULLEST, "1", "share of the filesystem in use at its fullest")


def tally(folder: Path) -> tuple[int, int]:
    """Number of files below `folder` and the sum of their sizes in bytes."""
    files, size, todo = 0, 0, [os.fspath(folder)]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                else:
                    files, size = files + 1, size + entry.stat(follow_symlinks=False).st_size
    return files, size
