"""Version names: `YYYY.MM`, and `YYYY.MM.N` for a further release of the same month."""

import re

from spindlemark.core.errors import UserError

PATTERN = re.compile(r"([1-9][0-9]{3})\.(0[1-9]|1[0-2])(?:\.([1-9][0-9]{0,3}))?")


def is_version(name: str) -> bool:
    """Whether `name` is a valid version in ASCII digits."""
    return PATTERN.fullmatch(name) is not None


def month(name: str) -> tuple[int, int]:
    """Return year and month of a version; raises UserError like `order`."""
    return order(name)[:2]


def order(name: str) -> tuple[int, int, int]:
    """Return a sort key, oldest first; raises UserError for an invalid version, so a valid one is safe as a folder name."""
    match = PATTERN.fullmatch(name)
    if match is None:
        raise UserError(
            f"{name!r} is not a version",
            "write year and month, for example 2026.11, or 2026.11.1 for a further release",
        )
    year, month, further = match.groups(default="0")
    return int(year), int(month), int(further)
