"""Edits of HDF5 files: what a kill and a power cut leave, by promise and backup; and what an edit takes over the file's size."""

from collections import Counter
from functools import cache

from spindlemark import paths
from spindlemark.findings.report import Cell, Group
from spindlemark.h5edit import promises
from spindlemark.publish import questions
from spindlemark.publish.pictures import Axis, Curves, Mark, Matrix, Picture, Point, Seen
from spindlemark.reference.cells import read, table_rows

STUDY, TABLE = "003", "koala"
SECONDS = "edit_seconds"
SUBJECT, SIZE, TASK, COMMANDS = ("level", "backup", "sync"), "size.", "task", "commands"
# What a repetition kept of each point, and how that reads.
CRASHES = {"kills": "kills", "cuts": "power cuts"}
STATES = ("good", "partly", "bad")  # the worst last
SAYS_CRASHES = (
    "An edit was killed at the entry of each of its writes. It was done on a disk that lost power after each write, and with a part "
    "of what was written after a flush, as a disk with a cache may leave it; where there are too many of these points, at a sample. "
    "Each field: at how many of them what was promised was lost, or else has to be looked for by a person. Points are windows in "
    "which a crash hurts, not chances.")
SAYS_SIZE = ("A copy grows with the file, and with each command where each has its own; who shares blocks, or promises nothing, "
             "stays level. ")
SAYS_PUBLISHED = ("In grey what source 003 prints of its editor, with nine commands, a copy and no sync, on a warm page cache of a machine "
                  "of 2013 and with the start of the program in it: compare how steep lines are, not how high they lie.")


def pictures(group: Group, seen: Seen) -> list[Picture]:
    """A matrix of the crashes that were made of this workload; seconds over size, where there are several sizes."""
    return [*_survival(group, seen), *_over_size(group, seen)]


def _survival(group: Group, seen: Seen) -> list[Matrix]:
    """A row for each backup with and without sync, a column for each promise; a field tells of both kinds of crash."""
    found: dict[tuple[str, str, str], dict[str, Mark]] = {}
    same = _workload(group, seen, TASK)
    for cell in (cell for other in seen.beside(group) if _workload(other, seen, TASK) == same for cell in _cells(other)):
        factors = seen.factors(cell)
        for kept in seen.attachments(cell):
            for kind in CRASHES.keys() & kept.keys():
                way = factors["backup"], factors["sync"], factors["level"]
                found.setdefault(way, {}).setdefault(kind, _mark([point["fate"] for point in kept[kind]]))
    columns = [level for level in promises.LEVELS if any(level == own for *_, own in found)]
    rows = [(f"{_said('backup', backup)}, {_said('sync', sync)}",
             [_field(level, backup, found.get((backup, sync, level))) for level in columns])
            for backup, sync in sorted({way[:2] for way in found}, key=lambda row: (promises.BACKUPS.index(row[0]), row[1] != "sync"))]
    return [Matrix("crashes", "What a crash leaves", SAYS_CRASHES, "backup", "promise",
                   [_said("level", level) for level in columns], rows)] if rows else []


def _field(level: str, backup: str, marks: dict[str, Mark] | None) -> Mark:
    """What both kinds of crash left, as bad as the worse of them; without any whether there can be one."""
    if marks is None:
        return Mark("impossible" if promises.impossible(level, backup) else "not measured", "none")
    words = [f"{name}: {marks[kind].word}" for kind, name in CRASHES.items() if kind in marks]
    return Mark("; ".join(words), max((mark.state for mark in marks.values()), key=STATES.index))


def _mark(fates: list[str]) -> Mark:
    """The worst that happened, of how many points."""
    for fate, words, state in (("lost", "lost", "bad"), ("by_hand", "by hand", "partly"), ("mended", "mended", "partly")):
        if fate in fates:
            return Mark(f"{fates.count(fate)} of {len(fates)} {words}", state)
    return Mark(f"all {len(fates)} whole", "good")


def _over_size(group: Group, seen: Seen) -> list[Curves]:
    """Of edits of one number of commands: that of most sizes, or the group's own.

    Subjects have the names that they have in this group: in another one it is other parts that tell them apart.
    """
    points: dict[tuple[str, str, float], Point] = {}
    own, same = {_subject(cell, seen): cell.subject for cell in _cells(group)}, _workload(group, seen, SIZE, TASK, COMMANDS)
    for other in seen.beside(group):
        for cell in _cells(other) if same is not None and _workload(other, seen, SIZE, TASK, COMMANDS) == same else ():
            factors, name = seen.factors(cell), own.get(_subject(cell, seen))
            size = float(factors["size.bytes"])
            if name and cell.median is not None:
                points.setdefault((factors[COMMANDS], name, size), Point(name, size, cell.median, cell.low, cell.high))
    sizes = Counter(commands for commands, _ in {(commands, size) for commands, _, size in points})
    if max(sizes.values(), default=0) < 2:
        return []
    commands = max(sizes, key=lambda number: (sizes[number], number == seen.factors(_cells(group)[0])[COMMANDS]))
    published = _published() if commands == "9" else []
    title, says = f"Seconds over the size of the file, {_said(COMMANDS, commands)}", SAYS_SIZE + SAYS_PUBLISHED * bool(published)
    return [Curves("seconds", title, says,
                   Axis("size of the file", "B", log=True, zero=False), Axis("edit", "s", SECONDS, log=True, zero=False),
                   [point for (number, *_), point in points.items() if number == commands], published)]


@cache
def _published() -> list[Point]:
    """What the study prints of each level."""
    folder = paths.REFERENCE / STUDY
    rows = table_rows(folder, TABLE, read(folder).tables[TABLE])
    return [Point(f"study {STUDY}, {_said('level', level)}", 1e6 * float(row["file_size_mb"]), float(row[f"atomic_{level}"]))
            for level in promises.LEVELS for row in rows]


def _said(factor: str, value: str) -> str:
    return questions.said("hdf5_edit", factor, value)


def _cells(group: Group) -> list[Cell]:
    return group.cells(SECONDS)


def _subject(cell: Cell, seen: Seen) -> tuple[str | None, ...]:
    factors = seen.factors(cell)
    return tuple(factors.get(name) for name in SUBJECT)


def _workload(group: Group, seen: Seen, *but: str) -> dict[str, str] | None:
    """All factors but the subject's own and those that begin with one of `but`; None where nothing was measured."""
    cell = next(iter(_cells(group)), None)
    return cell and {name: value for name, value in seen.factors(cell).items()
                     if name not in SUBJECT and not name.startswith(but)}
