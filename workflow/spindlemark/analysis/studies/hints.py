"""Hints: what a wrong printed value looks like, found by comparing digits and by looking for it in other cells."""

from itertools import pairwise

import duckdb

from spindlemark.analysis.studies.claim_verdict import Value
from spindlemark.analysis.studies.units import number
from spindlemark.core import sql

FEWEST_DIGITS = 4  # shorter numbers occur by chance
MOST_CELLS = 3


def hints(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    claimed: str,
    right: str,
    recomputed: Value,
    away_from: list[str],
) -> list[str]:
    """Generated sentences on how `claimed` may have come about; `away_from`: cells, or the
    printed number of the table, that hold the claim itself.
    """
    found = [hint for hint in (_cut(claimed, recomputed), _digits(claimed, right)) if hint]
    return found + _same_value(connection, source, claimed, away_from)


def _cut(claimed: str, recomputed: Value) -> str | None:
    parsed = number(claimed)
    if parsed is None or not isinstance(recomputed, (int, float)) or isinstance(recomputed, bool):
        return None
    scale = 10 ** parsed[1]
    return (
        "The claimed value was truncated instead of rounded."
        if int(recomputed * scale) / scale == parsed[0] != round(recomputed, parsed[1])
        else None
    )


def _digits(claimed: str, right: str) -> str | None:
    if not (number(claimed) and number(right)):
        return None
    a, b = claimed.replace(",", ""), right
    if len(a) == len(b):
        wrong = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
        if len(a.replace(".", "")) < FEWEST_DIGITS:
            return None
        if len(wrong) == 1:
            return f"One digit differs: {a} for {b}."
        swapped = [(i, j) for i, j in pairwise(wrong) if j - i == 1 and a[i] == b[j] and a[j] == b[i]]
        if len(wrong) == 2 and swapped:
            return f"Two neighbouring digits are swapped: {a} for {b}."
    if a != b and len(a) >= FEWEST_DIGITS and b.startswith(a):
        return f"The last digits are missing: {a} for {b}."
    return None


def _same_value(connection: duckdb.DuckDBPyConnection, source: str, claimed: str, away_from: list[str]) -> list[str]:
    parsed = number(claimed)
    if parsed is None or len(claimed.replace(",", "").replace(".", "").strip("0")) < FEWEST_DIGITS:
        return []
    given = {"source": source, "number": parsed[0]}
    cells = connection.execute(sql.read("studies/same_number"), given).fetchall()
    named = [
        f"{table}: {row}, {column}"
        for table, row, column, place in cells
        if place not in away_from and f"{table}: {row}, {column}" not in away_from
    ]
    return [f"The same value appears in {name}." for name in named][:MOST_CELLS]
