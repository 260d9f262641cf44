"""Durability of an edit of an HDF5 file: its atomicity level and its backup method.

Levels: `no` guarantees nothing, `yes` applies all commands or none, `inc` each command by itself.

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
    """Atomicity level, backup method, whether to sync, and the lowest library version of the file format."""

    level: str = YES
    backup: str = "copy"
    sync: bool = True
    libver: str = "earliest"


def why_impossible(level: str, backup: str) -> str | None:
    """Why a level cannot use a backup method; None if it can."""
    if (level == NO) != (backup == NONE):
        return f"level {level} cannot use backup {backup!r}: level `no` uses `none`, and no other level does"
    return None
