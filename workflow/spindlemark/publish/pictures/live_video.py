"""Live video: how late pictures are, and how many are in time, over the number of receivers; and on a link that gets narrower."""

from collections.abc import Sequence
from statistics import median

from spindlemark.findings.report import Cell, Group
from spindlemark.publish.pictures import Axis, Curves, Point, Seen
from spindlemark.record import Scalar

LATENCY, IN_TIME = "frame_latency_median_seconds", "frames_in_time_ratio"
SAME = ("task", "format.name", "content")  # of the workload: receivers alone differ along a curve
_RECEIVERS = Axis("receivers", zero=False)
_SHARES = Axis("link, over what the stream sends on a wide one", zero=False)
OVER_RECEIVERS = ("All receivers run on the processors of one machine, beside the sender: where a curve rises, they wait for each "
                  "other. On machines of their own each would be as late as the first one is here.")
STAIRCASE = ("From right to left the link gets narrower than the stream needs. A picture that is late was shown, more than two frame "
             "intervals after what is usual on a wide link; one that is lost never was. Each place is the median of all repetitions.")
# As a record keeps each step; up to method 1 lost and late were one figure.
STAIRS = {"lost_ratio": "lost", "late_ratio": "late", "shown_in_time_ratio": "in time"}


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """Latency and pictures in time over receivers, of a group that plays; the staircase, of one whose link was narrowed."""
    return [*_over_receivers(group, seen), *_staircase(group, seen)]


def _over_receivers(group: Group, seen: Seen) -> list[Curves]:
    row = [g for g in seen.beside(group) if _workload(g, seen) == _workload(group, seen) and _alike(g) == _alike(group)]
    found = []
    for metric, name in ((LATENCY, "latency"), (IN_TIME, "in-time")):
        table = group.table(metric)
        points = [Point(cell.subject, receivers, cell.median, cell.low, cell.high) for receivers, cell in _cells(row, metric, seen)
                  if cell.subject in group.subjects]
        if table and len({point.x for point in points}) > 1:
            found.append(Curves(name, f"{table.title} over receivers", OVER_RECEIVERS, _RECEIVERS,
                                Axis(table.title, table.unit, metric), points))
    return found


def _cells(groups: Sequence[Group], metric: str, seen: Seen) -> list[tuple[int, Cell]]:
    """(receivers, cell) of all groups that have the metric, fewest receivers first."""
    cells = [(int(seen.factors(cell)["receivers"]), cell) for g in groups for cell in g.cells(metric)
             if cell.median is not None]
    return sorted(cells, key=lambda pair: (pair[0], pair[1].subject))


def _workload(group: Group, seen: Seen) -> tuple[str | None, ...]:
    """What all of a curve have in common; every cell of a group has the same."""
    cell = next((cell for table in group.metrics for cell in table.cells if seen.factors(cell)), None)
    told = seen.factors(cell) if cell else {}
    return tuple(told.get(name) for name in SAME)


def _alike(group: Group) -> dict[str, Scalar]:
    """The conditions that all of a curve have in common."""
    return {name: value for name, value in group.conditions.items() if name != "receivers"}


def _staircase(group: Group, seen: Seen) -> list[Curves]:
    found = []
    for kept, what in STAIRS.items():
        points = [Point(cell.subject, share, median(values), min(values), max(values))
                  for cell in {c.subject: c for table in group.metrics for c in table.cells}.values()
                  for share, values in sorted(_steps(cell, kept, seen).items())]
        if points:
            found.append(Curves(f"staircase-{what.replace(' ', '-')}", f"Pictures {what} on a link that gets narrower", STAIRCASE,
                                _SHARES, Axis(f"pictures {what}", "1", IN_TIME), points))
    return found


def _steps(cell: Cell, kept: str, seen: Seen) -> dict[float, list[float]]:
    """Share of the free rate -> what each repetition kept of that step under a name."""
    shown: dict[float, list[float]] = {}
    for attached in seen.attachments(cell):
        for step in attached.get("staircase", {}).get("steps", []):
            if kept in step:
                shown.setdefault(float(step["share"]), []).append(float(step[kept]))
    return shown
