"""Edits of HDF5 files: what a kill and a power cut leave, by promise and backup; and what an edit takes over the file's size."""

from spindlemark.findings.report import Cell, Group
from spindlemark.publish.pictures import Axis, Curves, Mark, Matrix, Picture, Point, Seen

SECONDS = "edit_seconds"
SUBJECT, SIZE, TASK = ("level", "backup", "sync"), "size.", "task"
FIELD = "Each field: at how many of these points what was promised was lost, or has to be looked for by a person. "
# What a repetition kept of each point, and how that reads.
CRASHES = {
    "kills": ("What a kill leaves", "An edit was killed at the entry of each of its writes. " + FIELD
              + "Points are windows in which a crash hurts, not chances."),
    "cuts": ("What a power cut leaves", "Power was cut after each write to the disk, and with a part of what was written after a "
             "flush, as a disk with a cache may leave it. " + FIELD + "Where there are too many, a sample was tried.")}
SAYS_SIZE = ("A copy grows with the file, and with each command where each has its own; who shares blocks, or promises nothing, "
             "stays level. The figures of source 003 stand beside these under then and now.")


def pictures(group: Group, seen: Seen) -> list[Picture]:
    """A matrix for each kind of crash that was made of this workload; seconds over size, where there are several sizes."""
    return [*(_survival(kind, group, seen) for kind in CRASHES), *_over_size(group, seen)]


def _survival(kind: str, group: Group, seen: Seen) -> Matrix:
    """A row for each backup, a column for each promise; of a subject with and without sync the first."""
    found: dict[tuple[str, str], Mark] = {}
    same = _workload(group, seen, TASK)
    for cell in (cell for other in seen.beside(group) if _workload(other, seen, TASK) == same for cell in _cells(other)):
        factors = seen.factors(cell)
        points = next((kept[kind] for kept in seen.attachments(cell) if kind in kept), None)
        if points:
            found.setdefault((factors["backup"], factors["level"]), _mark([point["fate"] for point in points]))
    levels = sorted({level for _, level in found}, key=("no", "yes", "inc").index)
    rows = [(backup, [found.get((backup, level), Mark("not measured", "none")) for level in levels])
            for backup in dict.fromkeys(backup for backup, _ in found)]
    return Matrix(kind, *CRASHES[kind], "backup", "promise", levels, rows)


def _mark(fates: list[str]) -> Mark:
    """The worst that happened, of how many points."""
    for fate, words, state in (("lost", "lost", "bad"), ("by_hand", "by hand", "partly"), ("mended", "mended", "partly")):
        if fate in fates:
            return Mark(f"{fates.count(fate)} of {len(fates)} {words}", state)
    return Mark(f"whole at all {len(fates)}", "good")


def _over_size(group: Group, seen: Seen) -> list[Curves]:
    """Subjects have the names that they have in this group: in another one it is other parts that tell them apart."""
    points: dict[tuple[str, float], Point] = {}
    own, same = {_subject(cell, seen): cell.subject for cell in _cells(group)}, _workload(group, seen, SIZE)
    for other in seen.beside(group):
        for cell in _cells(other) if same is not None and _workload(other, seen, SIZE) == same else ():
            name, size = own.get(_subject(cell, seen)), float(seen.factors(cell)["size.bytes"])
            if name and cell.median is not None:
                points.setdefault((name, size), Point(name, size, cell.median, cell.low, cell.high))
    if len({size for _, size in points}) < 2:
        return []
    return [Curves("seconds", "Seconds over the size of the file", SAYS_SIZE, Axis("size of the file", "B", log=True, zero=False),
                   Axis("edit", "s", SECONDS, log=True, zero=False), list(points.values()))]


def _cells(group: Group) -> list[Cell]:
    return group.cells(SECONDS)


def _subject(cell: Cell, seen: Seen) -> tuple[str | None, ...]:
    factors = seen.factors(cell)
    return tuple(factors.get(name) for name in SUBJECT)


def _workload(group: Group, seen: Seen, but: str) -> dict[str, str] | None:
    """All factors but the subject's own and those that begin with `but`; None where nothing was measured."""
    cell = next(iter(_cells(group)), None)
    return cell and {name: value for name, value in seen.factors(cell).items()
                     if name not in SUBJECT and not name.startswith(but)}
