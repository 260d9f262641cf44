"""Edits of HDF5 files: what a kill leaves, by promise and backup; and what an edit takes over the size of the file."""

from spindlemark.findings.report import Cell, Group
from spindlemark.publish.pictures import Axis, Curves, Mark, Matrix, Picture, Point, Seen

SECONDS = "edit_seconds"
SUBJECT, SIZE = ("level", "backup", "sync"), "size."
SAYS_KILLS = ("Each field: an edit that was killed at the entry of each of its writes, and at how many of these points what was "
              "promised was lost, or has to be looked for by a person. Points are windows in which a crash hurts, not chances.")
SAYS_SIZE = ("A copy grows with the file, and with each command where each has its own; who shares blocks, or promises nothing, "
             "stays level. The figures of source 003 stand beside these under then and now.")


def pictures(group: Group, seen: Seen) -> list[Picture]:
    """The matrix of a group that was killed; seconds over size, where more than one size was measured."""
    kills = _kills(group, seen)
    return [*([kills] if kills.rows else []), *_over_size(group, seen)]


def _kills(group: Group, seen: Seen) -> Matrix:
    """A row for each backup, a column for each promise; of a subject with and without sync the first."""
    found: dict[tuple[str, str], Mark] = {}
    for cell in _cells(group):
        factors = seen.factors(cell)
        kills = next((kept["kills"] for kept in seen.attachments(cell) if "kills" in kept), None)
        if kills:
            found.setdefault((factors["backup"], factors["level"]), _mark([kill["fate"] for kill in kills]))
    levels = sorted({level for _, level in found}, key=("no", "yes", "inc").index)
    rows = [(backup, [found.get((backup, level), Mark("not measured", "none")) for level in levels])
            for backup in dict.fromkeys(backup for backup, _ in found)]
    return Matrix("kills", "What a kill leaves", SAYS_KILLS, "backup", "promise", levels, rows)


def _mark(fates: list[str]) -> Mark:
    """The worst that happened, of how many points."""
    for fate, words, state in (("lost", "lost", "bad"), ("by_hand", "by hand", "partly"), ("mended", "mended", "partly")):
        if fate in fates:
            return Mark(f"{fates.count(fate)} of {len(fates)} {words}", state)
    return Mark(f"whole at all {len(fates)}", "good")


def _over_size(group: Group, seen: Seen) -> list[Curves]:
    points: dict[tuple[str, float], Point] = {}
    same = _workload(group, seen)
    for other in seen.beside(group):
        if same is None or _workload(other, seen) != same:
            continue
        for cell in _cells(other):
            if cell.subject in group.subjects and cell.median is not None:
                size = float(seen.factors(cell)["size.bytes"])
                points.setdefault((cell.subject, size), Point(cell.subject, size, cell.median, cell.low, cell.high))
    if len({size for _, size in points}) < 2:
        return []
    return [Curves("seconds", "Seconds over the size of the file", SAYS_SIZE, Axis("size of the file", "B", log=True, zero=False),
                   Axis("edit", "s", SECONDS, log=True, zero=False), list(points.values()))]


def _cells(group: Group) -> list[Cell]:
    return next((table.cells for table in group.metrics if table.metric == SECONDS), [])


def _workload(group: Group, seen: Seen) -> dict[str, str] | None:
    """All factors but the subject's own and the size; None where nothing was measured."""
    cell = next(iter(_cells(group)), None)
    return cell and {name: value for name, value in seen.factors(cell).items()
                     if name not in SUBJECT and not name.startswith(SIZE)}
