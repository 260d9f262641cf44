"""SQL: every statement is a file below `workflow/sql`, in the folder of its stage. Its first line, a comment, is its title."""

from functools import lru_cache
from itertools import dropwhile
from pathlib import Path
from typing import NamedTuple

from spindlemark.core.paths import SQL


class Statement(NamedTuple):
    """One file: its name without suffix, its title, and the statement without its leading comment."""

    name: str
    title: str
    text: str


def read(name: str, **identifiers: str) -> str:
    """The statement in `workflow/sql/NAME.sql`, without its leading comment and without a last semicolon.

    `identifiers`: names that DuckDB cannot bind as parameters, which replace {these} in the text.
    """
    text = _statement(SQL / f"{name}.sql").text
    return text.format(**identifiers) if identifiers else text


def folder(place: Path) -> list[Statement]:
    """Every statement in a folder, in the order of the files' names."""
    return [_statement(path) for path in sorted(place.glob("*.sql"))]


@lru_cache(maxsize=256)
def _statement(path: Path) -> Statement:
    lines = path.read_text(encoding="utf-8").splitlines()
    text = "\n".join(dropwhile(lambda line: line.startswith("--"), lines))
    return Statement(path.stem, lines[0].removeprefix("--").strip(), text.strip().removesuffix(";"))
