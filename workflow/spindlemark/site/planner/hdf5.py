"""The planner's part about HDF5 files: what keeps an edited one whole, and what that costs.

Tables of one form: `title`, `says`, `down` (what rows are), `columns`, and `rows` with a title, a page and texts.
"""

from collections import Counter
from typing import Any, NamedTuple

import duckdb

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Findings
from spindlemark.analysis.format import number, percent
from spindlemark.core import declared, durability
from spindlemark.site import query
from spindlemark.site.context import Context

Page = dict[str, Any]
FAMILY, WAY = "hdf5_edit", ("level", "backup", "sync")
EDIT, SPACE, WRITTEN = "edit_seconds", "edit_largest_bytes", "edit_device_written_bytes"
CRASHES = {
    "kill_lost_ratio": "Lost when killed",
    "kill_by_hand_ratio": "By hand",
    "power_lost_ratio": "Lost in a power cut",
    "power_by_hand_ratio": "By hand",
    "power_reordered_lost_ratio": "Lost by a disk with a cache",
}
METRICS = (EDIT, SPACE, WRITTEN, *CRASHES)
SAYS_CRASHES = (
    "After what share of the points of a crash nothing was left that the edit promised, or a person had to find the copy and "
    "judge it. Points are windows in which a crash hurts, and no chances. Choose among the ways that lost nothing in any "
    "column, rather one that left nothing to do by hand, and then by what it costs. Without a sync nothing is promised to who "
    "loses power but a file that is whole: an edit that was said to be done may be gone."
)
SAYS_COSTS = "Seconds of an edit by the size of the file and the number of its commands; space and bytes written are those of {most}."


class Edited(NamedTuple):
    """A measured way of editing a file of `size` bytes by some commands, with its cells by metric."""

    testbed: str
    filesystem: str
    way: tuple[str, ...]
    size: float
    commands: int
    cells: dict[str, Cell]


def tables(connection: duckdb.DuckDBPyConnection, findings: Findings, context: Context) -> list[Page]:
    """Two for each testbed and filesystem on which edits were measured, without those that have no row."""
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
    """Every measured edit once, whatever its task, in the order of levels and backups."""
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
        told = {row["name"]: row["value"] for row in factors[key]}
        found.append(
            Edited(
                testbed,
                told["filesystem.name"],
                tuple(told[name] for name in WAY),
                float(told["size.bytes"]),
                int(told["commands"]),
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
    """What each way lost, and what it left to a person: the worst of all that was measured of it."""
    ways: dict[tuple[str, ...], list[Edited]] = {}
    for each in found:
        if each.cells.keys() & CRASHES.keys():
            ways.setdefault(each.way, []).append(each)
    return {
        "title": f"What a crash leaves of an edited HDF5 file on {place[1]}, testbed {place[0]}",
        "says": SAYS_CRASHES,
        "down": "Promise, backup",
        "columns": list(CRASHES.values()),
        "rows": [
            _row(way, own[0], [_worst([each.cells.get(metric) for each in own]) for metric in CRASHES], context)
            for way, own in ways.items()
        ],
    }


def _costs(place: tuple[str, str], found: list[Edited], context: Context) -> Page:
    """Seconds by size and commands, and what most ways have in common: space and bytes written."""
    times = Counter((each.size, each.commands) for each in found if EDIT in each.cells)
    most = max(times, key=lambda edit: (times[edit], edit), default=None)
    ways: dict[tuple[str, ...], dict[tuple[float, int], Edited]] = {}
    for each in found:
        if EDIT in each.cells:
            ways.setdefault(each.way, {}).setdefault((each.size, each.commands), each)
    return {
        "title": f"What it costs to edit an HDF5 file on {place[1]}, testbed {place[0]}",
        "says": SAYS_COSTS.format(most=_named(*most) if most else ""),
        "down": "Promise, backup",
        "columns": [*(_named(*edit) for edit in sorted(times)), "Space beside the file", "Written"],
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
    title = ", ".join(question_list.said(FAMILY, name, value) for name, value in zip(WAY, way, strict=True))
    return {"title": title, "url": context.experiments.get((cell.experiment, cell.identity)), "texts": texts}


def _named(size: float, commands: int) -> str:
    return f"{number(size, 'B')}, {question_list.said(FAMILY, 'commands', str(commands))}"


def _worst(cells: list[Cell | None]) -> str:
    """The worst of all repetitions."""
    worst = max((sample for cell in cells if cell for sample in cell.samples), default=None)
    return "not tried" if worst is None else "nothing" if worst == 0 else percent(worst)


def _text(found: Edited | None, metric: str, unit: str) -> str:
    cell = found.cells.get(metric) if found else None
    return number(cell.median if cell else None, unit, declared.kind(metric))
