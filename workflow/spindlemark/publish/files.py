"""The planner's part about files: what keeps an edited one whole, which cache pays where, what comes back of a project.

Tables of one form: `title`, `says`, `down` (what rows are), `columns`, and `rows` with a title, a page and texts.
"""

from collections.abc import Callable
from itertools import groupby
from typing import Any

import duckdb

from spindlemark.findings.report import Cell, Findings, Group
from spindlemark.publish import query
from spindlemark.publish.context import Context
from spindlemark.publish.numbers import number, percent

Page = dict[str, Any]
EDIT, KILLED, CUT = "edit_seconds", "kill_lost_ratio", "power_lost_ratio"
CACHED = "elapsed_seconds"
EXPORT, KEPT = "write_seconds", ("timecodes_kept_ratio", "markers_kept_ratio", "effects_kept_ratio")
METRICS = (EDIT, KILLED, CUT, CACHED, EXPORT)
PROMISES = {"no": "no promise", "yes": "all commands or none", "inc": "each command by itself"}
SAYS_EDITS = ("What each way of editing lost at the points of its crashes, which are windows and no chances, and what it "
              "costs by the size of the file. A way that lost nothing is one to choose; take the fastest of these at "
              "your size.")
SAYS_CACHES = ("Time to write or read one file through each cache, over the delay of a request to its storage. Read down "
               "the column that is nearest to your storage.")
SAYS_PROJECTS = "What comes back of a project that was exported and imported again, and how long the export takes."


def tables(connection: duckdb.DuckDBPyConnection, findings: Findings, context: Context) -> list[Page]:
    """Those for which something was measured."""
    found = [*_edits(connection, findings, context),
             _across(findings, context, CACHED, "Caches over storage", SAYS_CACHES, "Cache"), _projects(findings, context)]
    return [table for table in found if table and table["rows"]]


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


def _across(findings: Findings, context: Context, metric: str, title: str, says: str, down: str) -> Page | None:
    """Subjects down, workloads across; of workloads that were measured in several sessions the leading one."""
    groups: dict[tuple[str, str], tuple[Group, dict[str, Cell]]] = {}
    for group in findings.groups:
        for table in group.metrics:
            if table.metric == metric:
                groups.setdefault((group.testbed, group.library), (group, {cell.subject: cell for cell in table.cells}))
    subjects = list(dict.fromkeys(subject for _, cells in groups.values() for subject in cells))
    return _filled(title, says, down, [context.title(group) for group, _ in groups.values()], subjects, context,
                   lambda subject: [_text(cells.get(subject), "s") for _, cells in groups.values()])


def _projects(findings: Findings, context: Context) -> Page | None:
    """Of the largest project: what comes back, and how long the export takes."""
    found = [group for group in findings.groups if {EXPORT, *KEPT} <= {table.metric for table in group.metrics}]
    if not found:
        return None
    largest = max(found, key=lambda group: float(group.library_factors.get("edits") or 0))
    tables = {table.metric: table for table in largest.metrics}
    cells = {metric: {cell.subject: cell for cell in tables[metric].cells} for metric in (*KEPT, EXPORT)}
    return _filled(f"Exchange of projects: {context.title(largest)}", SAYS_PROJECTS, "Format",
                   [tables[metric].title for metric in (*KEPT, EXPORT)], list(cells[EXPORT]), context,
                   lambda subject: [*(_share(cells[metric].get(subject)) for metric in KEPT),
                                    _text(cells[EXPORT].get(subject), "s")])


def _share(cell: Cell | None) -> str:
    whole = {0.0: "nothing", 1.0: "all"}
    return whole.get(cell.median, percent(cell.median)) if cell else percent(None)


def _filled(title: str, says: str, down: str, columns: list[str], subjects: list[str], context: Context,
            texts: Callable[[str], list[str]]) -> Page:
    return {"title": title, "says": says, "down": down, "columns": columns,
            "rows": [{"subject": context.subject(subject), "texts": texts(subject)} for subject in subjects]}
