"""Live video: latency and frames in time by number of receivers, by network path, and on a link that gets narrower."""

from statistics import median
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.findings.text import listed, percent, quantity
from spindlemark.core.record import Scalar
from spindlemark.site.charts import live_load
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Curves, Mark, Matrix, Point

FIRST = ("latency", "paths", "load-table")
LATENCY, IN_TIME = "frame_latency_median_seconds", "frames_in_time_ratio"
LINK, SENDER = "link_bits_per_second", "senders_cpu_ratio"
SAME = ("format.name", "content")  # factors of the workload that are equal along a curve
RECEIVERS, TASK, TRANSPORT, CONGESTION, DELAY, LOSS = PATH_FACTORS = (
    "receivers",
    "task",
    "stream.transport",
    "congestion",
    "delay",
    "loss",
)
VARYING = (RECEIVERS, TASK, "trial")  # conditions that may differ along a curve
_RECEIVERS = Axis("receivers", zero=False, whole=True)
_SHARES = Axis("link rate as a multiple of the stream's rate", zero=False)
CAPTION_RECEIVERS = (
    "From capture to the decoded frame in memory, without camera and screen. All receivers share the processors of one "
    "machine with the sender. Where a curve rises, they wait for each other, which they would not on machines of their own. "
    "Includes the numbers of receivers that a search tried, as the median of all repetitions."
)
CAPTION_STAIRCASE = (
    "From right to left, the link gets narrower than the stream needs; 1 is the rate of the stream on a wide link. A late frame was "
    "shown more than two frame intervals later than usual on a wide link; a lost frame was never shown. Each point "
    "is the median of all repetitions."
)
CAPTION_PATHS = (
    "Share of the frames shown in time, and their median latency. A frame is late on such a path because packets were sent again. TCP "
    "holds back everything after a lost packet and slows down as its congestion control (cubic, bbr) decides; SRT sends again by itself, "
    "within a delay that it always adds. Green: 98 % or more; red: less than half."
)
IN_TIME_GOOD = 0.98
# Key of a step in a record -> title. Up to method 1, lost and late frames were one number.
STEPS = {"lost_ratio": "lost", "late_ratio": "late", "shown_in_time_ratio": "in time"}


def charts(group: Group, data: ChartData) -> list[Curves | Matrix]:
    """Return the charts that the group's task provides: by receivers, by path, or by rate of the link."""
    return [
        *_by_receivers(group, data),
        *_paths(group, data),
        *_staircase(group, data),
        *live_load.charts(group, data),
    ]


def _paths(group: Group, data: ChartData) -> list[Matrix]:
    """Return streams with their congestion control by delay and loss, from groups that are equal otherwise."""
    fields: dict[str, dict[str, Mark]] = {}
    for each in data.same_question(group):
        if _path(each, data) is None or _path(each, data) != _path(group, data):
            continue
        late = {cell.configuration: cell.median for cell in each.cells(LATENCY)}
        for cell in each.cells(IN_TIME):
            factors = data.factors(cell)
            name = (
                cell.configuration
                if factors.get(TRANSPORT) == "srt"
                else f"{cell.configuration}, {factors[CONGESTION]}"
            )
            where = ", ".join(question_list.label(group.family, factor, factors[factor]) for factor in (DELAY, LOSS))
            fields.setdefault(name, {})[where] = _mark(cell.median, late.get(cell.configuration))
    columns = sorted({where for row in fields.values() for where in row}, key=lambda where: (len(where), where))
    rows = [
        (name, [row.get(where, Mark("not measured", "none")) for where in columns])
        for name, row in sorted(fields.items())
    ]
    return (
        [
            Matrix(
                "paths", "Frames in time by delay and loss of the path", CAPTION_PATHS, "Stream", "Path", columns, rows
            )
        ]
        if rows
        else []
    )


def _path(group: Group, data: ChartData) -> tuple[str | None, ...] | None:
    """Return the factors that groups with a delayed path share; None for any other group."""
    factors = _factors(group, data)
    delayed = factors.get(TASK) == "play" and factors.get(DELAY, "none") != "none"
    return tuple(factors.get(name) for name in (*SAME, RECEIVERS)) if delayed else None


def _mark(in_time: float | None, latency: float | None) -> Mark:
    if in_time is None or latency is None:
        return Mark("no result", "bad")
    return Mark(
        f"{percent(in_time)}, {quantity(latency, 's')}",
        "good" if in_time >= IN_TIME_GOOD else "partly" if in_time >= 0.5 else "bad",
    )


def _by_receivers(group: Group, data: ChartData) -> list[Curves]:
    own = _workload(group, data)
    row = [
        g for g in data.same_question(group) if _task(g, data) in ("play", "receivers") and _workload(g, data) == own
    ]
    if group not in row:
        return []
    found = []
    for metric, name, axis in (
        (LATENCY, "latency", Axis("latency", "s")),
        (IN_TIME, "in-time", Axis("frames in time", "1", "ratio")),
        (LINK, "link", Axis("rate on the link", "bit/s")),
        (SENDER, "sender", Axis("load of the sender", "1", "ratio")),
    ):
        points = {(p.name, p.x): p for g in row for p in (*_tried(g, metric, data), *_played(g, metric, data))}
        several = [p for p in points.values() if sum(name == p.name for name, _ in points) > 1]
        if several:
            found.append(
                Curves(
                    name,
                    f"{axis.title.capitalize()} by number of receivers",
                    CAPTION_RECEIVERS,
                    _RECEIVERS,
                    axis,
                    sorted(several, key=lambda p: (p.x, p.name)),
                )
            )
    return found


def _played(group: Group, metric: str, data: ChartData) -> list[Point]:
    """Return the measurements of a group with a fixed number of receivers."""
    return [
        Point(cell.configuration, int(data.factors(cell)[RECEIVERS]), cell.median, cell.low, cell.high)
        for cell in group.cells(metric)
        if cell.median is not None
    ]


def _tried(group: Group, metric: str, data: ChartData) -> list[Point]:
    """Return the observations of a search for the largest number, at each number that it tried."""
    found: dict[tuple[str, int], list[float]] = {}
    if _task(group, data) != "receivers":
        return []
    for cell in _cells(group):
        for trial in (t for attached in data.attachments(cell) for t in attached.get("trials", [])):
            if (value := _observed(trial, metric)) is not None:
                found.setdefault((cell.configuration, trial["receivers"]), []).append(value)
    return [Point(name, number, median(values), min(values), max(values)) for (name, number), values in found.items()]


def _observed(trial: dict[str, Any], metric: str) -> float | None:
    """Return what one trial says of a metric; None where nothing was shown, or its method did not keep it."""
    watched = [w for w in trial["watched"] if w["latency_seconds"] is not None]
    if not watched or metric in (LINK, SENDER):
        return trial.get(metric) if watched else None
    if metric == LATENCY:
        return float(median(w["latency_seconds"] for w in watched))
    return 1 - sum(w["lost"] + w["late"] for w in trial["watched"]) / sum(w["due"] for w in trial["watched"])


def _cells(group: Group) -> list[Cell]:
    """Return one cell of each configuration."""
    return list({c.configuration: c for table in group.metrics for c in table.cells}.values())


def _factors(group: Group, data: ChartData) -> dict[str, str]:
    """Return the factors of the first configuration that has any."""
    return next((found for cell in _cells(group) if (found := data.factors(cell))), {})


def _task(group: Group, data: ChartData) -> str | None:
    return next((data.factors(cell).get(TASK) for cell in _cells(group)), None)


def _workload(group: Group, data: ChartData) -> tuple[dict[str, Scalar], tuple[str | None, ...]]:
    """Return the factors that are equal along a curve; all cells of a group have the same."""
    factors = _factors(group, data)
    return (
        {name: value for name, value in group.conditions.items() if name.split(".")[0] not in VARYING},
        tuple(factors.get(name) for name in SAME),
    )


def _staircase(group: Group, data: ChartData) -> list[Curves]:
    found = []
    for key, title in STEPS.items():
        points = [
            Point(cell.configuration, share, median(values), min(values), max(values))
            for cell in _cells(group)
            for share, values in sorted(_steps(cell, key, data).items())
        ]
        if points:
            found.append(
                Curves(
                    f"staircase-{title.replace(' ', '-')}",
                    f"Frames {title} on a link that gets narrower",
                    CAPTION_STAIRCASE + _recovery(group),
                    _SHARES,
                    Axis(f"frames {title}", "1", "ratio"),
                    points,
                )
            )
    return found


def _recovery(group: Group) -> str:
    """Report how soon frames are in time again once the link is wide."""
    times = [f"{quantity(c.median, 's')} with {c.configuration}" for c in group.cells("recovery_seconds")]
    return (
        f" Once the link is wide again, frames are in time after {listed(times)}; the shortest time that can be measured is one frame "
        "interval."
        if times
        else ""
    )


def _steps(cell: Cell, key: str, data: ChartData) -> dict[float, list[float]]:
    """Return link rate as a multiple of the stream's rate -> the values of each repetition at that step."""
    found: dict[float, list[float]] = {}
    for attached in data.attachments(cell):
        for step in attached.get("staircase", {}).get("steps", []):
            if key in step:
                found.setdefault(float(step["share"]), []).append(float(step[key]))
    return found


BUILDER = Builder(draw=charts, first=FIRST, factors=(*SAME, *PATH_FACTORS), shows_published=True)
