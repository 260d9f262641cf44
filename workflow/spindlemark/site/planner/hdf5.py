"""Planner tables of HDF5 files: which ways of editing survive crashes, and their costs.

A table has `title`, `says`, `down` (the heading of its rows), `columns`, and `rows` with a title, a page and texts.
"""

from collections import Counter
from typing import Any, NamedTuple

import duckdb

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Findings
from spindlemark.analysis.format import number, percent
from spindlemark.core import declared, durability
from spindlemark.site import query, testbed_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
FAMILY, WAY = "hdf5_edit", ("level", "backup", "sync")
FILESYSTEM, BYTES, COMMANDS = "filesystem.name", "size.bytes", "commands"
FACTORS = {FAMILY: (*WAY, FILESYSTEM, BYTES, COMMANDS)}
EDIT, SPACE, WRITTEN = "edit_seconds", "edit_largest_bytes", "edit_device_written_bytes"
CRASHES = {
    "kill_lost_ratio": "Lost when killed",
    "kill_by_hand_ratio": "By hand",
    "power_lost_ratio": "Lost in a power cut",
    "power_by_hand_ratio": "By hand",
    "power_reordered_lost_ratio": "Lost with a disk cache",
}
METRICS = (EDIT, SPACE, WRITTEN, *CRASHES)
SAYS_CRASHES = (
    "Share of the crash points after which the guaranteed content was lost, or after which a person had to find the copy and judge "
    "it. Crash points are moments at which a crash does damage, not probabilities. Choose a way that lost nothing in any column, "
    "prefer one that leaves nothing to do by hand, then compare the costs. Without a sync, a power cut leaves a valid file but may "
    "lose an edit that was already confirmed."
)
SAYS_COSTS = "Time of an edit by file size and number of commands. Space and bytes written are those of {most}."


class Edited(NamedTuple):
    """A measured way of editing a file of `size` bytes with some commands, and its cells by metric."""

    testbed: str
    filesystem: str
    way: tuple[str, ...]
    size: float
    commands: int
    cells: dict[str, Cell]


def tables(connection: duckdb.DuckDBPyConnection, findings: Findings, context: Context) -> list[Page]:
    """Return two tables for each testbed and filesystem on which edits were measured, if they have rows."""
    found = _edits(connection, findings)
    places = dict.fromkeys((each.testbed, each.filesystem) for each in found)
    made = [
        table
        for place in places
        for own in [[e for e in found if (e.testbed, e.filesystem) == place]]
        for table in (_crashes(place, own, context), _costs(place, own, context))
    ]
    return [table for table in made if table["rows"]]


def _edits(connection: duckdb.DuckDBPyConnection, findings: Findings) -> list[Edited]:
    """Return every measured edit once, whatever its task, ordered by level and backup."""
    cells: dict[query.Key, tuple[str, dict[str, Cell]]] = {}
    for group in findings.groups:
        for table in group.metrics if group.family == FAMILY else ():
            for cell in table.cells:
                cells.setdefault((cell.experiment, cell.identity), (group.testbed, {}))[1].setdefault(
                    table.metric, cell
                )
    factors = query.factors(connection, {identity for _, identity in cells})
    found = []
    for key, (testbed, own) in cells.items():
        factors_of = {row["name"]: row["value"] for row in factors[key]}
        found.append(
            Edited(
                testbed,
                factors_of[FILESYSTEM],
                tuple(factors_of[name] for name in WAY),
                float(factors_of[BYTES]),
                int(factors_of[COMMANDS]),
                own,
            )
        )
    return sorted(
        found,
        key=lambda e: (
            e.testbed,
            e.filesystem,
            durability.LEVELS.index(e.way[0]),
            durability.BACKUPS.index(e.way[1]),
            e.way[2] != "sync",
            e.size,
            e.commands,
        ),
    )


def _crashes(place: tuple[str, str], found: list[Edited], context: Context) -> Page:
    """Return the losses and manual repairs of each way of editing, from its worst repetition."""
    ways: dict[tuple[str, ...], list[Edited]] = {}
    for each in found:
        if each.cells.keys() & CRASHES.keys():
            ways.setdefault(each.way, []).append(each)
    return {
        "title": f"Crashes while an HDF5 file is edited on {place[1]}, {testbed_labels.title(place[0])}",
        "says": SAYS_CRASHES,
        "down": "Durability, backup",
        "columns": list(CRASHES.values()),
        "rows": [
            _row(way, own[0], [_worst([each.cells.get(metric) for each in own]) for metric in CRASHES], context)
            for way, own in ways.items()
        ],
    }


def _costs(place: tuple[str, str], found: list[Edited], context: Context) -> Page:
    """Return times by size and commands, and space and bytes written for the edit that most ways have."""
    times = Counter((each.size, each.commands) for each in found if EDIT in each.cells)
    most = max(times, key=lambda edit: (times[edit], edit), default=None)
    ways: dict[tuple[str, ...], dict[tuple[float, int], Edited]] = {}
    for each in found:
        if EDIT in each.cells:
            ways.setdefault(each.way, {}).setdefault((each.size, each.commands), each)
    return {
        "title": f"Cost of editing an HDF5 file on {place[1]}, {testbed_labels.title(place[0])}",
        "says": SAYS_COSTS.format(most=_edit_label(*most) if most else ""),
        "down": "Durability, backup",
        "columns": [*(_edit_label(*edit) for edit in sorted(times)), "Additional space", "Written"],
        "rows": [
            _row(
                way,
                next(iter(own.values())),
                [
                    *(_text(own.get(edit), EDIT, "s") for edit in sorted(times)),
                    *(_text(own.get(most) if most else None, metric, "B") for metric in (SPACE, WRITTEN)),
                ],
                context,
            )
            for way, own in ways.items()
        ],
    }


def _row(way: tuple[str, ...], first: Edited, texts: list[str], context: Context) -> Page:
    cell = next(iter(first.cells.values()))
    title = ", ".join(question_list.label(FAMILY, name, value) for name, value in zip(WAY, way, strict=True))
    return {"title": title, "url": context.experiments.get((cell.experiment, cell.identity)), "texts": texts}


def _edit_label(size: float, commands: int) -> str:
    return f"{number(size, 'B')}, {question_list.label(FAMILY, COMMANDS, str(commands))}"


def _worst(cells: list[Cell | None]) -> str:
    """Format the largest value of all repetitions."""
    worst = max((sample for cell in cells if cell for sample in cell.samples), default=None)
    return "not tried" if worst is None else "nothing" if worst == 0 else percent(worst)


def _text(found: Edited | None, metric: str, unit: str) -> str:
    cell = found.cells.get(metric) if found else None
    return number(cell.median if cell else None, unit, declared.kind(metric))
