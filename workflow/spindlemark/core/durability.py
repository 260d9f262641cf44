"""Durability of an edit of an HDF5 file: its atomicity level and its backup method.

Levels: `no` guarantees nothing, `yes` applies all commands or none, `inc` each command by itself. `swmr` is HDF5's mode for one
writer and many readers: what each command changed is flushed, in an order in which a reader always finds a whole file.

`copy`, `range` and `reflink` copy the file to .NAME.bck, edit it in place and remove the copy; `aside` and
`aside-reflink` copy it to .NAME.new, edit that and rename it; `onion` lets HDF5 store revisions in a second file.
Levels `no` and `swmr` have `none`. This module does not need HDF5.
"""

from dataclasses import dataclass

NO, YES, INC, SWMR = LEVELS = ("no", "yes", "inc", "swmr")
IN_THE_FILE = (NO, SWMR)  # levels without a backup
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


def why_impossible(level: str, backup: str, libver: str = "latest") -> str | None:
    """Why a level cannot use a backup method, or the oldest file format; None if it can."""
    if (level in IN_THE_FILE) != (backup == NONE):
        return f"level {level} cannot use backup {backup!r}: levels `no` and `swmr` use `none`, and no other level does"
    if level == SWMR and libver != "latest":
        return "level swmr cannot use the oldest file format: it needs --libver latest, also when the file was made"
    return None
