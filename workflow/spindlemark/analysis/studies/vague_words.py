"""Vague words: one threshold for each, in every study, and the macro by which SQL asks for it."""

from functools import cache
from typing import Literal

import duckdb
from pydantic import Field

from spindlemark.config import read_yaml
from spindlemark.core import sql
from spindlemark.core.paths import REFERENCE
from spindlemark.core.record import Closed

ABOUT = "about"


class Word(Closed):
    """What one vague word asks for at least or allows at most."""

    words: list[str] = Field(min_length=1, description="spellings in the studies, of all languages")
    relation: Literal["within", "at most", "at least", "over"]
    bound: str = Field(description="a number as text, like a claimed value")
    unit: str = Field(description="what is measured")
    reason: str


@cache
def read() -> dict[str, Word]:
    """All words by name; raises UserError naming file and key."""
    return read_yaml(REFERENCE / "vague.yaml", dict[str, Word])


def share() -> float:
    """How far, as a share of it, a number may be from one that is said to be about it."""
    return float(read()[ABOUT].bound) / 100


def load(connection: duckdb.DuckDBPyConnection) -> None:
    """Put the words into the table vague_word, from which the macro vague('small') takes its bound."""
    connection.execute(sql.read("studies/empty", table="vague_word"))
    connection.executemany(
        sql.read("studies/vague_word"),
        [(name, w.relation, float(w.bound), w.unit, w.reason) for name, w in read().items()],
    )
