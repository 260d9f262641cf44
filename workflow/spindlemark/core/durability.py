"""Durability of an edit of an HDF5 file: nothing (no), all or nothing (yes) or each command by itself (inc), and its backup method.

`copy`, `range` and `reflink` copy the file to .NAME.bck, edit it in place and remove the copy; `aside` and
`aside-reflink` copy it to .NAME.new, edit that and rename it; `onion` lets HDF5 store revisions in a second file.
Level `no` has `none`. This module does not need HDF5.
"""

from dataclasses import dataclass

NO, YES, INC = LEVELS = ("no", "yes", "inc")
NONE, ONION, ASIDE = "none", "onion", "aside"
IN_PLACE, RENAMED = ("copy", "range", "reflink"), {"aside": "copy", "aside-reflink": "reflink"}
BACKUPS = (NONE, *IN_PLACE, *RENAMED, ONION)
LIBVERS = ("earliest", "latest")


@dataclass(frozen=True)
class Durability:
    """The level, the way of the backup, whether all is synced, and the bounds of the library's versions."""

    level: str = YES
    backup: str = "copy"
    sync: bool = True
    libver: str = "earliest"


def why_impossible(level: str, backup: str) -> str | None:
    """Why a level has no such backup; None where it can."""
    if (level == NO) != (backup == NONE):
        return f"level {level} has no backup {backup!r}: `none` goes with `no`, and nothing else does"
    return None
