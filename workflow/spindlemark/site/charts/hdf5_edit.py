"""Edits of HDF5 files: outcomes of crashes by durability and backup, and time of an edit by file size."""

from collections import Counter
from functools import cache
from typing import Literal

from spindlemark.analysis.findings import question_list, text
from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.format import ratio
from spindlemark.analysis.studies.published_cells import read, table_rows
from spindlemark.core import durability, paths
from spindlemark.site.charts.chart_model import Axis, Builder, Chart, ChartData, Curves, Mark, Matrix, Point

FAMILY = "hdf5_edit"
STUDY, TABLE = "003", "koala"
FIRST = ("crashes", "seconds")
SECONDS = "edit_seconds"
LEVEL, BACKUP, SYNC = CONFIGURATION = ("level", "backup", "sync")
BYTES, SIZE, TASK, COMMANDS = "size.bytes", "size.", "task", "commands"  # `size.`: all factors of the size
# Key of a record's attachment -> kind of crash.
CRASHES = {"kills": "kills", "cuts": "power cuts"}
# Outcomes of a crash that left the file damaged, the worst first: key in the record -> label and rating.
OUTCOMES: dict[str, tuple[str, Literal["partly", "bad"]]] = {
    "lost": ("lost", "bad"),
    "by_hand": ("by hand", "partly"),
    "mended": ("repaired", "partly"),
}
STATES = ("good", "partly", "bad")  # the worst last
CAPTION_CRASHES = (
    "An edit was killed at the start of each of its writes. It was also done on a disk that lost power after each write, and on one that "
    "kept only part of the writes since a flush, as a disk with a cache may (a sample of the many such states). Lost: neither the file "
    "nor a copy has the guaranteed content. By hand: a person has to find the copy and put it in place. Repaired: a tool does it. Of "
    "several repetitions the worst is shown. Crash points are moments at which a crash does damage, not probabilities."
)
CAPTION_INTACT = "Intact at every crash point that was tried: {ways}. "
CAPTION_NEVER_INTACT = "No way of editing was intact at every crash point that was tried. "
CAPTION_UNSYNCED = (
    " Without a sync, the file as it was before the edit also counts as intact: a power cut may lose an edit that was "
    "already confirmed."
)
CAPTION_IMPOSSIBLE = " Impossible: “{no}” has no backup, and the other levels of durability need one."
CAPTION_PUBLISHED = (
    "Grey: values that study 003 prints for its editor, with nine commands, a copy and no sync, on a warm page cache of a machine "
    "of 2013, including the start of the program. Compare the slopes, not the times."
)


def charts(group: Group, data: ChartData) -> list[Chart]:
    """Return the matrix of crashes of this workload, and time by size if there are several sizes."""
    return [*_crash_matrix(group, data), *_by_size(group, data)]


def _crash_matrix(group: Group, data: ChartData) -> list[Matrix]:
    """Return a row for each backup with and without sync, and a column for each level; fields report both kinds of crash."""
    found: dict[tuple[str, str, str], dict[str, Mark]] = {}
    same = _workload(group, data, TASK)
    for cell in (
        cell for other in data.same_question(group) if _workload(other, data, TASK) == same for cell in _cells(other)
    ):
        factors, attached = data.factors(cell), data.attachments(cell)
        for kind in CRASHES:
            if tried := [[point["fate"] for point in each[kind]] for each in attached if each.get(kind)]:
                found.setdefault((factors[BACKUP], factors[SYNC], factors[LEVEL]), {})[kind] = _mark(
                    max(tried, key=_harm)
                )
    columns = [level for level in durability.LEVELS if any(level == own for *_, own in found)]
    rows = [
        (
            f"{_label(BACKUP, backup)}, {_label(SYNC, sync)}",
            [_field(level, backup, found.get((backup, sync, level))) for level in columns],
        )
        for backup, sync in sorted(
            {way[:2] for way in found}, key=lambda row: (durability.BACKUPS.index(row[0]), row[1] != "sync")
        )
    ]
    labels = [_label(LEVEL, level) for level in columns]
    return (
        [Matrix("crashes", "What a crash leaves", _caption(found), "backup", "durability", labels, rows)]
        if rows
        else []
    )


def _caption(found: dict[tuple[str, str, str], dict[str, Mark]]) -> str:
    """Name the ways of editing that survived both kinds of crash, and explain the fields."""
    intact: dict[tuple[str, str], list[str]] = {}
    for (backup, sync, level), marks in sorted(found.items(), key=lambda way: durability.LEVELS.index(way[0][2])):
        if marks.keys() == CRASHES.keys() and all(mark.state == "good" for mark in marks.values()):
            intact.setdefault((backup, sync), []).append(_label(LEVEL, level))
    ways = "; ".join(
        f"{_label(BACKUP, backup)}, {_label(SYNC, sync)} ({text.listed(levels)})"
        for (backup, sync), levels in sorted(intact.items(), key=lambda way: way[0][1] != "sync")
    )
    caption = (CAPTION_INTACT.format(ways=ways) if ways else CAPTION_NEVER_INTACT) + CAPTION_CRASHES
    levels, unsynced = {level for *_, level in found}, any(sync != "sync" for _, sync, _ in found)
    return (
        caption
        + CAPTION_UNSYNCED * unsynced
        + CAPTION_IMPOSSIBLE.format(no=_label(LEVEL, durability.NO)) * (durability.NO in levels and len(levels) > 1)
    )


def _field(level: str, backup: str, marks: dict[str, Mark] | None) -> Mark:
    """Combine the marks of both kinds of crash, with the worse rating."""
    if marks is None:
        return Mark("impossible" if durability.why_impossible(level, backup) else "not measured", "none")
    parts = [f"{name}: {marks[kind].word}" for kind, name in CRASHES.items() if kind in marks]
    return Mark("; ".join(parts), max((mark.state for mark in marks.values()), key=STATES.index))


def _harm(outcomes: list[str]) -> list[float]:
    """Return the share of crash points for each outcome, the worst first, to find the worst repetition."""
    return [outcomes.count(outcome) / len(outcomes) for outcome in OUTCOMES]


def _mark(outcomes: list[str]) -> Mark:
    """Count the crash points that left a damaged file, the worst outcome first."""
    found = [
        (outcomes.count(outcome), label, state) for outcome, (label, state) in OUTCOMES.items() if outcome in outcomes
    ]
    if not found:
        return Mark(f"all {len(outcomes)} intact", "good")
    (worst, label, state), *others = found
    return Mark(
        ", ".join([f"{worst} of {len(outcomes)} {label}", *(f"{count} {name}" for count, name, _ in others)]), state
    )


def _by_size(group: Group, data: ChartData) -> list[Curves]:
    """Return time by size, for the number of commands with most sizes, or the group's own.

    Configurations have their names in this group, which may differ from those in other groups.
    """
    points: dict[tuple[str, str, float], Point] = {}
    own = {_configuration(cell, data): cell.configuration for cell in _cells(group)}
    same = _workload(group, data, SIZE, TASK, COMMANDS)
    for other in data.same_question(group):
        is_same = same is not None and _workload(other, data, SIZE, TASK, COMMANDS) == same
        for cell in _cells(other) if is_same else ():
            factors, name = data.factors(cell), own.get(_configuration(cell, data))
            size = float(factors[BYTES])
            if name:
                points.setdefault((factors[COMMANDS], name, size), Point(name, size, cell.median, cell.low, cell.high))
    sizes = Counter(commands for commands, _ in {(commands, size) for commands, _, size in points})
    if max(sizes.values(), default=0) < 2:
        return []
    commands = max(sizes, key=lambda number: (sizes[number], number == data.factors(_cells(group)[0])[COMMANDS]))
    published = _published() if commands == "9" else []
    chosen = [point for (number, *_), point in points.items() if number == commands]
    return [
        Curves(
            "seconds",
            f"Time of an edit by file size, {_label(COMMANDS, commands)}",
            _growth(chosen) + CAPTION_PUBLISHED * bool(published),
            Axis("file size", "B", log=True, zero=False),
            Axis("edit", "s", log=True, zero=False),
            chosen,
            published,
        )
    ]


def _growth(points: list[Point]) -> str:
    """Report the time for the largest file as a multiple of that for the smallest, for each configuration."""
    least, most = (end(point.x for point in points) for end in (min, max))
    ends = {
        name: [[p.y for p in points if (p.name, p.x) == (name, size)] for size in (least, most)]
        for name in dict.fromkeys(point.name for point in points)
    }
    growth = {name: last[0] / first[0] for name, (first, last) in ends.items() if first and last and first[0]}
    if not growth:
        return ""
    parts = [f"{name} {ratio(growth[name])}" for name in sorted(growth, key=growth.__getitem__, reverse=True)]
    return f"For a file {ratio(most / least)} as large: {text.listed(parts)} the time. "


@cache
def _published() -> list[Point]:
    """Return the study's values of each level."""
    folder = paths.REFERENCE / STUDY
    rows = table_rows(folder, TABLE, read(folder).tables[TABLE])
    return [
        Point(f"study {STUDY}, {_label(LEVEL, level)}", 1e6 * float(row["file_size_mb"]), float(row[f"atomic_{level}"]))
        for level in (durability.NO, durability.YES, durability.INC)
        for row in rows
    ]


def _label(factor: str, value: str) -> str:
    return question_list.label(FAMILY, factor, value)


def _cells(group: Group) -> list[Cell]:
    return group.cells(SECONDS)


def _configuration(cell: Cell, data: ChartData) -> tuple[str | None, ...]:
    factors = data.factors(cell)
    return tuple(factors.get(name) for name in CONFIGURATION)


def _workload(group: Group, data: ChartData, *but: str) -> dict[str, str] | None:
    """Return all factors but those of the configuration and those that begin with one of `but`; None without measurements."""
    cell = next(iter(_cells(group)), None)
    if cell is None:
        return None
    return {
        name: value
        for name, value in data.factors(cell).items()
        if name not in CONFIGURATION and not name.startswith(but)
    }


BUILDER = Builder(draw=charts, first=FIRST, factors=(*CONFIGURATION, BYTES, TASK, COMMANDS), shows_published=True)
