"""HTTP delivery: goodput and load by number of clients, load over time, and clients by read-ahead and by the bit rate."""

from collections.abc import Callable

from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.site.charts import http_load
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Curves, Point

Factors = dict[str, str]
CLIENTS = "viewers_sustained_count"
RATE, READAHEAD = "rate.bytes_per_second", "readahead"
# factor of an axis -> beginnings of the factors that change with it
FOLLOWING = {RATE: ("viewers.", "rate.", "delivery.segment_bytes"), READAHEAD: (READAHEAD,)}
BITS = 8
CAPTION_READAHEAD = (
    "A hard disk loses time with each request. The more the kernel reads ahead, the more clients it serves, up to the "
    "disk's sequential speed."
)
CAPTION_RATE = "At twice the bit rate half as many clients can be served, if the disk is the only limit."
DEMAND = "demand"
CAPTION_TRIALS = (
    "Each number of clients that was tried, and their total goodput. It equals the demand while server and disk keep up, and stays "
    "level beyond that. Above the demand, clients are still filling their buffers."
)


def charts(group: Group, data: ChartData) -> list[Curves]:
    """Return goodput and load by clients, load over time, and clients by read-ahead and bit rate, as far as measured."""
    ahead = _clients_by(
        group,
        data,
        READAHEAD,
        "viewers-readahead",
        "Clients by read-ahead",
        CAPTION_READAHEAD,
        Axis("read-ahead, KiB", log=True, zero=False),
        _number,
    )
    rates = _clients_by(
        group,
        data,
        RATE,
        "viewers-rate",
        "Clients by bit rate of the asset",
        CAPTION_RATE,
        Axis("bit rate of the asset", "bit/s", log=True, zero=False),
        lambda value: BITS * float(value) if value else None,
    )
    cells = _cells(group)
    return [
        _trials(group, data),
        *http_load.by_clients(cells, data, _middle),
        *http_load.over_time(cells, data),
        *(c for c in (ahead, rates) if len({p.x for p in c.points}) > 1),
    ]


def _number(value: str) -> float | None:
    return float(value) if value.isdigit() else None


def _clients_by(
    group: Group,
    data: ChartData,
    factor: str,
    name: str,
    title: str,
    caption: str,
    axis: Axis,
    place: Callable[[str], float | None],
) -> Curves:
    """Return one curve per configuration, through those that differ from it only in `factor`."""
    points: dict[tuple[str, float], Point] = {}
    own = [(cell.configuration, _without(data.factors(cell), factor)) for cell in _cells(group)]
    for other in (group, *data.same_question(group)):
        for cell in _cells(other):
            found = data.factors(cell)
            x, others = place(found.get(factor, "")), _without(found, factor)
            if x is None:
                continue
            for curve in (curve for curve, same in own if same == others):
                points.setdefault((curve, x), Point(curve, x, cell.median, cell.low, cell.high))
    return Curves(name, title, caption, axis, Axis("clients", kind="searched"), list(points.values()))


def _cells(group: Group) -> list[Cell]:
    """Return the number of clients that each configuration of a group served."""
    return group.cells(CLIENTS)


def _without(factors: Factors, name: str) -> Factors:
    """Return the factors that must be equal: not the factor itself, and not those that follow from it."""
    return {key: value for key, value in factors.items() if not key.startswith(FOLLOWING[name])}


def _trials(group: Group, data: ChartData) -> Curves:
    """Return every trial of every repetition: number of clients and total goodput."""
    cells = _cells(group)
    points = [
        Point(cell.configuration, trial["viewers"], trial["goodput_bytes_per_second"])
        for cell in cells
        for attached in data.attachments(cell)
        for trial in attached.get("trials", ())
    ]
    rates = {float(rate) for cell in cells if (rate := data.factors(cell).get(RATE))}
    most = max((point.x for point in points), default=0)
    demand = [Point(DEMAND, x, x * rate) for rate in rates for x in (1, most)] if len(rates) == 1 and most > 1 else []
    return Curves(
        "goodput-viewers",
        "Total goodput by number of clients",
        CAPTION_TRIALS,
        Axis("concurrent clients", kind="searched", whole=True),
        Axis("goodput", "B/s"),
        _middle(points),
        demand,
    )


def _middle(points: list[Point]) -> list[Point]:
    """Return one point per configuration and number of clients: upper median and range of the repetitions."""
    by_place: dict[tuple[str, float], list[float]] = {}
    for point in points:
        by_place.setdefault((point.name, point.x), []).append(point.y)
    return [Point(name, x, sorted(ys)[len(ys) // 2], min(ys), max(ys)) for (name, x), ys in sorted(by_place.items())]


BUILDER = Builder(draw=charts, factors=(RATE, READAHEAD))
