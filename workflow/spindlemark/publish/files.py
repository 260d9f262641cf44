"""The planner's part about HDF5 files: what keeps an edited one whole.

Tables of one form: `title`, `says`, `down` (what rows are), `columns`, and `rows` with a title, a page and texts.
"""

from itertools import groupby
from typing import Any

import duckdb

from spindlemark.findings.report import Cell, Findings
from spindlemark.publish import query
from spindlemark.publish.context import Context
from spindlemark.publish.numbers import number, percent

Page = dict[str, Any]
EDIT, KILLED, CUT = "edit_seconds", "kill_lost_ratio", "power_lost_ratio"
METRICS = (EDIT, KILLED, CUT)
PROMISES = {"no": "no promise", "yes": "all commands or none", "inc": "each command by itself"}
SAYS_EDITS = ("What each way of editing lost at the points of its crashes, which are windows and no chances, and what it "
              "costs by the size of the file. A way that lost nothing is one to choose; take the fastest of these at "
              "your size.")


def tables(connection: duckdb.DuckDBPyConnection, findings: Findings, context: Context) -> list[Page]:
    """Those for which something was measured."""
    return [table for table in _edits(connection, findings, context) if table["rows"]]


def _edits(connection: duckdb.DuckDBPyConnection, findings: Findings, context: Context) -> list[Page]:
    """One table for each testbed and filesystem on which edits were measured."""
    groups = [group for group in findings.groups if any(table.metric == EDIT for table in group.metrics)]
    edited = {cell.identity for group in groups for table in group.metrics for cell in table.cells}
    factors = {key: {row["name"]: row["value"] for row in rows} for key, rows in query.factors(connection, edited).items()}
    seen: list[tuple[tuple[str, str], tuple[str, str, str], str, float, Cell]] = []
    for group in groups:
        for table in group.metrics:
            if table.metric in (EDIT, KILLED, CUT):
                for cell in table.cells:
                    told = factors[cell.experiment, cell.identity]
                    size = float(told["size.bytes"]) if table.metric == EDIT and told["task"] == "edit" else 0.0
                    if size or table.metric != EDIT:
                        seen.append(((group.testbed, told["filesystem.name"]),
                                     (told["level"], told["backup"], told["sync"]), table.metric, size, cell))
    places = groupby(sorted(seen, key=lambda s: s[0]), key=lambda s: s[0])
    return [_ways(place, list(rows), context) for place, rows in places]


def _ways(place: tuple[str, str], seen: list, context: Context) -> Page:
    sizes = sorted({size for *_, size, _ in seen if size})
    ways: dict[tuple[str, str, str], dict[tuple[str, float], Cell]] = {}
    for _, way, metric, size, cell in seen:
        ways.setdefault(way, {}).setdefault((metric, size), cell)
    order = sorted(ways, key=lambda way: (list(PROMISES).index(way[0]), way[1:]))
    title = f"Editing HDF5 files on {place[1]}, testbed {place[0]}"
    return {"title": title, "says": SAYS_EDITS, "down": "Promise, backup",
            "columns": ["Lost in a kill", "Lost in a power cut", *(f"Edit of {number(size, 'B')}" for size in sizes)],
            "rows": [{"title": _named(way), "url": context.experiments.get((cell.experiment, cell.identity)),
                      "texts": [_lost(ways[way].get((KILLED, 0.0))), _lost(ways[way].get((CUT, 0.0))),
                                *(_text(ways[way].get((EDIT, size)), "s") for size in sizes)]}
                     for way in order for cell in [next(iter(ways[way].values()))]]}


def _named(way: tuple[str, str, str]) -> str:
    level, backup, sync = way
    how = "no backup" if backup == "none" else backup
    return f"{PROMISES[level]}, {how}{'' if sync == 'sync' else ', without sync'}"


def _lost(cell: Cell | None) -> str:
    """The worst of all repetitions."""
    worst = max(cell.samples, default=None) if cell else None
    return "not tried" if worst is None else "nothing" if worst == 0 else percent(worst)


def _text(cell: Cell | None, unit: str) -> str:
    return number(cell.median if cell else None, unit)
