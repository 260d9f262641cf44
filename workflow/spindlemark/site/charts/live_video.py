"""Live video: how late frames are, and how many are in time, over the number of receivers; and on a link that gets narrower."""

from statistics import median

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.findings.text import listed, percent, quantity
from spindlemark.core.record import Scalar
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Mark, Matrix, Point, Seen

FIRST = ("latency", "paths")
LATENCY, IN_TIME = "frame_latency_median_seconds", "frames_in_time_ratio"
SAME = ("format.name", "content")  # of the workload: receivers and the way that they were tried differ along a curve
OWN = ("receivers", "task", "trial")  # conditions that may differ along it
_RECEIVERS = Axis("receivers", zero=False, whole=True)
_SHARES = Axis("rate of the link, over that of the stream", zero=False)
OVER_RECEIVERS = (
    "From capture to the decoded frame in memory, without camera and screen. All receivers share the processors of one "
    "machine with the sender: where a curve rises they wait for each other, as on machines of their own they would not. "
    "What a search for the largest number tried is there too, as the median of all repetitions."
)
STAIRCASE = (
    "From right to left the link gets narrower than the stream needs: 1 is what the stream takes of a wide link. A frame that is "
    "late was shown, more than two frame intervals after what is usual on a wide link; one that is lost never was. Each place "
    "is the median of all repetitions."
)
PATHS = (
    "Share of the frames that are shown in time, and their median latency. A frame that is late on such a path waited for packets "
    "that were sent again: TCP holds back what came after them, and slows down as its congestion control (cubic, bbr) tells it; SRT "
    "sends again by itself, within a delay that it always adds. Green is 98 % or more, red less than half."
)
HOLDS = 0.98
# As a record keeps each step; up to method 1 lost and late were one figure.
STAIRS = {"lost_ratio": "lost", "late_ratio": "late", "shown_in_time_ratio": "in time"}


def pictures(group: Group, seen: Seen) -> list[Curves | Matrix]:
    """Latency and frames in time over receivers, of a group with watchers; what paths do to a stream, of one with a path; the
    staircase, of one whose link was narrowed.
    """
    return [*_over_receivers(group, seen), *_paths(group, seen), *_staircase(group, seen)]


def _paths(group: Group, seen: Seen) -> list[Matrix]:
    """Stream and congestion control by delay and loss, of the groups that differ in nothing else."""
    fields: dict[str, dict[str, Mark]] = {}
    for each in seen.beside(group):
        if _path(each, seen) is None or _path(each, seen) != _path(group, seen):
            continue
        late = {cell.subject: cell.median for cell in each.cells(LATENCY)}
        for cell in each.cells(IN_TIME):
            told = seen.factors(cell)
            name = cell.subject if told.get("stream.transport") == "srt" else f"{cell.subject}, {told['congestion']}"
            where = ", ".join(question_list.said(group.family, factor, told[factor]) for factor in ("delay", "loss"))
            fields.setdefault(name, {})[where] = _mark(cell.median, late.get(cell.subject))
    columns = sorted({where for row in fields.values() for where in row}, key=lambda where: (len(where), where))
    rows = [
        (name, [row.get(where, Mark("not measured", "none")) for where in columns])
        for name, row in sorted(fields.items())
    ]
    return (
        [Matrix("paths", "Frames in time on a path of some length", PATHS, "Stream", "Path", columns, rows)]
        if rows
        else []
    )


def _path(group: Group, seen: Seen) -> tuple[str | None, ...] | None:
    """What groups have in common whose stream goes over a path of some length; None of any other."""
    told = next((found for cell in _cells(group) if (found := seen.factors(cell))), {})
    away = told.get("task") == "play" and told.get("delay", "none") != "none"
    return tuple(told.get(name) for name in (*SAME, "receivers")) if away else None


def _mark(in_time: float | None, latency: float | None) -> Mark:
    if in_time is None or latency is None:
        return Mark("no result", "bad")
    return Mark(
        f"{percent(in_time)}, {quantity(latency, 's')}",
        "good" if in_time >= HOLDS else "partly" if in_time >= 0.5 else "bad",
    )


def _over_receivers(group: Group, seen: Seen) -> list[Curves]:
    own = _workload(group, seen)
    row = [g for g in seen.beside(group) if _task(g, seen) in ("play", "receivers") and _workload(g, seen) == own]
    if group not in row:
        return []
    found = []
    for metric, name, axis in (
        (LATENCY, "latency", Axis("latency", "s")),
        (IN_TIME, "in-time", Axis("frames in time", "1", "ratio")),
    ):
        points = {(p.subject, p.x): p for g in row for p in (*_tried(g, metric, seen), *_played(g, metric, seen))}
        several = [p for p in points.values() if sum(subject == p.subject for subject, _ in points) > 1]
        if several:
            found.append(
                Curves(
                    name,
                    f"{axis.title.capitalize()} over receivers",
                    OVER_RECEIVERS,
                    _RECEIVERS,
                    axis,
                    sorted(several, key=lambda p: (p.x, p.subject)),
                )
            )
    return found


def _played(group: Group, metric: str, seen: Seen) -> list[Point]:
    """What a group with a fixed number of receivers measured."""
    return [
        Point(cell.subject, int(seen.factors(cell)["receivers"]), cell.median, cell.low, cell.high)
        for cell in group.cells(metric)
        if cell.median is not None
    ]


def _tried(group: Group, metric: str, seen: Seen) -> list[Point]:
    """What a search for the largest number saw at each number that it tried."""
    found: dict[tuple[str, int], list[float]] = {}
    if _task(group, seen) != "receivers":
        return []
    for cell in _cells(group):
        for trial in (t for attached in seen.attachments(cell) for t in attached.get("trials", [])):
            watched = [w for w in trial["watched"] if w["latency_seconds"] is not None]
            if watched:
                found.setdefault((cell.subject, trial["receivers"]), []).append(
                    median(w["latency_seconds"] for w in watched)
                    if metric == LATENCY
                    else 1
                    - sum(w["lost"] + w["late"] for w in trial["watched"]) / sum(w["due"] for w in trial["watched"])
                )
    return [
        Point(subject, number, median(values), min(values), max(values)) for (subject, number), values in found.items()
    ]


def _cells(group: Group) -> list[Cell]:
    """One cell of each configuration."""
    return list({c.subject: c for table in group.metrics for c in table.cells}.values())


def _task(group: Group, seen: Seen) -> str | None:
    return next((seen.factors(cell).get("task") for cell in _cells(group)), None)


def _workload(group: Group, seen: Seen) -> tuple[dict[str, Scalar], tuple[str | None, ...]]:
    """What all of a curve have in common; every cell of a group has the same."""
    told = next((found for cell in _cells(group) if (found := seen.factors(cell))), {})
    return (
        {name: value for name, value in group.conditions.items() if name.split(".")[0] not in OWN},
        tuple(told.get(name) for name in SAME),
    )


def _staircase(group: Group, seen: Seen) -> list[Curves]:
    found = []
    for kept, what in STAIRS.items():
        points = [
            Point(cell.subject, share, median(values), min(values), max(values))
            for cell in _cells(group)
            for share, values in sorted(_steps(cell, kept, seen).items())
        ]
        if points:
            found.append(
                Curves(
                    f"staircase-{what.replace(' ', '-')}",
                    f"Frames {what} on a link that gets narrower",
                    STAIRCASE + _recovery(group),
                    _SHARES,
                    Axis(f"frames {what}", "1", "ratio"),
                    points,
                )
            )
    return found


def _recovery(group: Group) -> str:
    """How soon frames are in time again once the link is wide."""
    told = [f"{quantity(c.median, 's')} with {c.subject}" for c in group.cells("recovery_seconds")]
    return (
        f" Once the link is wide again, frames are in time after {listed(told)}; the interval of one frame is the least that is told."
        if told
        else ""
    )


def _steps(cell: Cell, kept: str, seen: Seen) -> dict[float, list[float]]:
    """Share of the free rate -> what each repetition kept of that step under a name."""
    shown: dict[float, list[float]] = {}
    for attached in seen.attachments(cell):
        for step in attached.get("staircase", {}).get("steps", []):
            if kept in step:
                shown.setdefault(float(step["share"]), []).append(float(step[kept]))
    return shown


BUILDER = Builder(draw=pictures, first=FIRST)
