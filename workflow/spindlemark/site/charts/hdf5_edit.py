"""Edits of HDF5 files: what a kill and a power cut leave, by promise and backup; and what an edit takes over the file's size."""

from collections import Counter
from functools import cache
from typing import Literal

from spindlemark.analysis.findings import question_list, text
from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.format import ratio
from spindlemark.analysis.studies.published_cells import read, table_rows
from spindlemark.core import durability, paths
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Mark, Matrix, Picture, Point, Seen

STUDY, TABLE = "003", "koala"
FIRST = ("crashes", "seconds")
SECONDS = "edit_seconds"
SUBJECT, SIZE, TASK, COMMANDS = ("level", "backup", "sync"), "size.", "task", "commands"
# What a repetition kept of each point, and how that reads.
CRASHES = {"kills": "kills", "cuts": "power cuts"}
# Of a point that is not whole, the worst first: how it reads, and how bad it is.
FATES: dict[str, tuple[str, Literal["partly", "bad"]]] = {
    "lost": ("lost", "bad"),
    "by_hand": ("by hand", "partly"),
    "mended": ("mended", "partly"),
}
STATES = ("good", "partly", "bad")  # the worst last
SAYS_CRASHES = (
    "An edit was killed at the entry of each of its writes; and it was done on a disk that lost power after each write, and with a part "
    "of what was written after a flush, as a disk with a cache may leave it (of many such points a sample). Lost: nothing is left that "
    "was promised. By hand: a person has to find the copy and put it in place. Mended: a tool does it. Of several repetitions the worst is "
    "told. Points are windows in which a crash hurts, not chances."
)
SAYS_WHOLE = "Whole at every point that was tried: {whole}. "
SAYS_NEVER_WHOLE = "None was whole at every point that was tried. "
SAYS_UNSYNCED = " Without a sync a file as it was before is whole too: an edit that was said to be done may be gone after a power cut."
SAYS_IMPOSSIBLE = " Impossible: a promise needs a backup, and no promise has none."
SAYS_PUBLISHED = (
    "In grey what source 003 prints of its editor, with nine commands, a copy and no sync, on a warm page cache of a machine "
    "of 2013 and with the start of the program in it: compare how steep lines are, not how high they lie."
)


def pictures(group: Group, seen: Seen) -> list[Picture]:
    """A matrix of the crashes that were made of this workload; seconds over size, where there are several sizes."""
    return [*_survival(group, seen), *_over_size(group, seen)]


def _survival(group: Group, seen: Seen) -> list[Matrix]:
    """A row for each backup with and without sync, a column for each promise; a field tells of both kinds of crash."""
    found: dict[tuple[str, str, str], dict[str, Mark]] = {}
    same = _workload(group, seen, TASK)
    for cell in (
        cell for other in seen.beside(group) if _workload(other, seen, TASK) == same for cell in _cells(other)
    ):
        factors, kept = seen.factors(cell), seen.attachments(cell)
        for kind in CRASHES:
            if tried := [[point["fate"] for point in each[kind]] for each in kept if each.get(kind)]:
                found.setdefault((factors["backup"], factors["sync"], factors["level"]), {})[kind] = _mark(
                    max(tried, key=_harm)
                )
    columns = [level for level in durability.LEVELS if any(level == own for *_, own in found)]
    rows = [
        (
            f"{_said('backup', backup)}, {_said('sync', sync)}",
            [_field(level, backup, found.get((backup, sync, level))) for level in columns],
        )
        for backup, sync in sorted(
            {way[:2] for way in found}, key=lambda row: (durability.BACKUPS.index(row[0]), row[1] != "sync")
        )
    ]
    return (
        [
            Matrix(
                "crashes",
                "What a crash leaves",
                _told(found),
                "backup",
                "promise",
                [_said("level", level) for level in columns],
                rows,
            )
        ]
        if rows
        else []
    )


def _told(found: dict[tuple[str, str, str], dict[str, Mark]]) -> str:
    """Which ways were whole in both kinds of crash, and what the words of the fields mean."""
    whole: dict[tuple[str, str], list[str]] = {}
    for (backup, sync, level), marks in sorted(found.items(), key=lambda way: durability.LEVELS.index(way[0][2])):
        if marks.keys() == CRASHES.keys() and all(mark.state == "good" for mark in marks.values()):
            whole.setdefault((backup, sync), []).append(_said("level", level))
    named = "; ".join(
        f"{_said('backup', backup)}, {_said('sync', sync)} ({text.listed(levels)})"
        for (backup, sync), levels in sorted(whole.items(), key=lambda way: way[0][1] != "sync")
    )
    says = (SAYS_WHOLE.format(whole=named) if named else SAYS_NEVER_WHOLE) + SAYS_CRASHES
    levels, unsynced = {level for *_, level in found}, any(sync != "sync" for _, sync, _ in found)
    return says + SAYS_UNSYNCED * unsynced + SAYS_IMPOSSIBLE * (durability.NO in levels and len(levels) > 1)


def _field(level: str, backup: str, marks: dict[str, Mark] | None) -> Mark:
    """What both kinds of crash left, as bad as the worse of them; without any whether there can be one."""
    if marks is None:
        return Mark("impossible" if durability.why_impossible(level, backup) else "not measured", "none")
    told = [f"{name}: {marks[kind].word}" for kind, name in CRASHES.items() if kind in marks]
    return Mark("; ".join(told), max((mark.state for mark in marks.values()), key=STATES.index))


def _harm(fates: list[str]) -> list[float]:
    """The shares of points of each fate, the worst first: what makes one repetition worse than another."""
    return [fates.count(fate) / len(fates) for fate in FATES]


def _mark(fates: list[str]) -> Mark:
    """What happened besides being whole, the worst first, of how many points."""
    found = [(fates.count(fate), said, state) for fate, (said, state) in FATES.items() if fate in fates]
    if not found:
        return Mark(f"all {len(fates)} whole", "good")
    (worst, said, state), *others = found
    return Mark(
        ", ".join([f"{worst} of {len(fates)} {said}", *(f"{count} {said}" for count, said, _ in others)]), state
    )


def _over_size(group: Group, seen: Seen) -> list[Curves]:
    """Of edits of one number of commands: that of most sizes, or the group's own.

    Configurations have the names that they have in this group: in another one it is other parts that tell them apart.
    """
    points: dict[tuple[str, str, float], Point] = {}
    own, same = (
        {_subject(cell, seen): cell.subject for cell in _cells(group)},
        _workload(group, seen, SIZE, TASK, COMMANDS),
    )
    for other in seen.beside(group):
        for cell in _cells(other) if same is not None and _workload(other, seen, SIZE, TASK, COMMANDS) == same else ():
            factors, name = seen.factors(cell), own.get(_subject(cell, seen))
            size = float(factors["size.bytes"])
            if name:
                points.setdefault((factors[COMMANDS], name, size), Point(name, size, cell.median, cell.low, cell.high))
    sizes = Counter(commands for commands, _ in {(commands, size) for commands, _, size in points})
    if max(sizes.values(), default=0) < 2:
        return []
    commands = max(sizes, key=lambda number: (sizes[number], number == seen.factors(_cells(group)[0])[COMMANDS]))
    published = _published() if commands == "9" else []
    chosen = [point for (number, *_), point in points.items() if number == commands]
    says = _grown(chosen) + SAYS_PUBLISHED * bool(published)
    return [
        Curves(
            "seconds",
            f"Seconds over the size of the file, {_said(COMMANDS, commands)}",
            says,
            Axis("size of the file", "B", log=True, zero=False),
            Axis("edit", "s", log=True, zero=False),
            chosen,
            published,
        )
    ]


def _grown(points: list[Point]) -> str:
    """How many times as long each configuration takes for the largest file as for the smallest, the steepest first."""
    least, most = (end(point.x for point in points) for end in (min, max))
    ends = {
        name: [[p.y for p in points if (p.subject, p.x) == (name, size)] for size in (least, most)]
        for name in dict.fromkeys(point.subject for point in points)
    }
    grown = {name: last[0] / first[0] for name, (first, last) in ends.items() if first and last and first[0]}
    if not grown:
        return ""
    told = text.listed([f"{name} {ratio(grown[name])}" for name in sorted(grown, key=grown.__getitem__, reverse=True)])
    return f"For a file {ratio(most / least)} as large: {told} the time. "


@cache
def _published() -> list[Point]:
    """What the study prints of each level."""
    folder = paths.REFERENCE / STUDY
    rows = table_rows(folder, TABLE, read(folder).tables[TABLE])
    return [
        Point(
            f"study {STUDY}, {_said('level', level)}", 1e6 * float(row["file_size_mb"]), float(row[f"atomic_{level}"])
        )
        for level in durability.LEVELS
        for row in rows
    ]


def _said(factor: str, value: str) -> str:
    return question_list.said("hdf5_edit", factor, value)


def _cells(group: Group) -> list[Cell]:
    return group.cells(SECONDS)


def _subject(cell: Cell, seen: Seen) -> tuple[str | None, ...]:
    factors = seen.factors(cell)
    return tuple(factors.get(name) for name in SUBJECT)


def _workload(group: Group, seen: Seen, *but: str) -> dict[str, str] | None:
    """All factors but the configuration's own and those that begin with one of `but`; None where nothing was measured."""
    cell = next(iter(_cells(group)), None)
    if cell is None:
        return None
    return {
        name: value for name, value in seen.factors(cell).items() if name not in SUBJECT and not name.startswith(but)
    }


BUILDER = Builder(draw=pictures, first=FIRST, beside_study=True)
