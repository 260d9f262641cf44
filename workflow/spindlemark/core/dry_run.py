"""Looking changes nothing: a process that only looks says so first, and fetches and notes nothing from then on."""

import re
from collections.abc import Sequence

# Options of Snakemake with which it measures and publishes nothing; short ones may share a word, as in -np.
_LONG = (
    "--dry",
    "--lint",
    "--dag",
    "--rulegraph",
    "--filegraph",
    "--d3dag",
    "--list",
    "--lt",
    "--lc",
    "--li",
    "--lp",
    "--lu",
    "--summary",
    "--detailed-summary",
    "--print-compilation",
)
_SHORT = re.compile(r"-[nlSDpqkF]*[nlSD][nlSDpqkF]*")
_only = False


def begin() -> None:
    """From here on this process only looks."""
    global _only
    _only = True


def only() -> bool:
    """Whether this process only looks."""
    return _only


def is_asked(words: Sequence[str]) -> bool:
    """Whether these words ask Snakemake for no more than a look."""
    return any(word.startswith(_LONG) or _SHORT.fullmatch(word) for word in words)
