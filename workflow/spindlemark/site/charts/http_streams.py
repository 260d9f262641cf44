"""Viewers over HTTP: what they get together, and how many are fed over readahead and over the rate of the film."""

from collections.abc import Callable

from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Point, Seen

Factors = dict[str, str]
VIEWERS = "viewers_sustained_count"
RATE, READAHEAD = "rate.bytes_per_second", "readahead"
BITS = 8
SAYS_READAHEAD = (
    "A disk that turns loses time with each request, wherever it lies: the more the kernel reads ahead, the more viewers "
    "it feeds, as far as its bytes a second go."
)
SAYS_RATE = "At twice the rate half as many can be fed, as far as the speed of the disk alone decides."
DEMAND = "what they need"
SAYS_TRIALS = (
    "Each number of viewers that was tried, and what they got together: as much as they need as long as server and disk keep "
    "up, level beyond it. Above what they need lies who is just filling buffers."
)


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """Goodput over viewers; then viewers over readahead and over the rate, as far as more than one was measured."""
    ahead = _over(
        group,
        seen,
        READAHEAD,
        "viewers-readahead",
        "Viewers over readahead",
        SAYS_READAHEAD,
        Axis("readahead, KiB", log=True, zero=False),
        _number,
    )
    rates = _over(
        group,
        seen,
        RATE,
        "viewers-rate",
        "Viewers over the rate of the film",
        SAYS_RATE,
        Axis("rate of the film", "bit/s", log=True, zero=False),
        lambda value: BITS * float(value) if value else None,
    )
    return [_trials(group, seen), *(c for c in (ahead, rates) if len({p.x for p in c.points}) > 1)]


def _number(value: str) -> float | None:
    return float(value) if value.isdigit() else None


def _over(
    group: Group,
    seen: Seen,
    factor: str,
    name: str,
    title: str,
    says: str,
    axis: Axis,
    place: Callable[[str], float | None],
) -> Curves:
    """One curve per configuration through those that differ from it in nothing but `factor`."""
    points: dict[tuple[str, float], Point] = {}
    own = [(cell.subject, _without(seen.factors(cell), factor)) for cell in _cells(group)]
    for other in (group, *seen.beside(group)):
        for cell in _cells(other):
            found = seen.factors(cell)
            x, alike = place(found.get(factor, "")), _without(found, factor)
            if x is None:
                continue
            for subject in (name for name, same in own if same == alike):
                points.setdefault((subject, x), Point(subject, x, cell.median, cell.low, cell.high))
    return Curves(name, title, says, axis, Axis("viewers", kind="searched"), list(points.values()))


def _cells(group: Group) -> list[Cell]:
    """How many viewers each configuration of a group fed."""
    return group.cells(VIEWERS)


def _without(factors: Factors, name: str) -> Factors:
    """What must be equal: not the factor itself, nor the sizes that follow from a rate."""
    follows = ("viewers.", "rate.", "delivery.segment_bytes") if name == RATE else (name,)
    return {key: value for key, value in factors.items() if not key.startswith(follows)}


def _trials(group: Group, seen: Seen) -> Curves:
    """Every trial of every repetition: viewers, and what they got together."""
    cells = _cells(group)
    points = [
        Point(cell.subject, trial["viewers"], trial["goodput_bytes_per_second"])
        for cell in cells
        for attached in seen.attachments(cell)
        for trial in attached.get("trials", ())
    ]
    rates = {float(rate) for cell in cells if (rate := seen.factors(cell).get(RATE))}
    most = max((point.x for point in points), default=0)
    demand = [Point(DEMAND, x, x * rate) for rate in rates for x in (1, most)] if len(rates) == 1 and most > 1 else []
    return Curves(
        "goodput-viewers",
        "What viewers get together",
        SAYS_TRIALS,
        Axis("viewers, tried at once", kind="searched", whole=True),
        Axis("goodput", "B/s"),
        _middle(points),
        demand,
    )


def _middle(points: list[Point]) -> list[Point]:
    """One point per configuration and number of viewers: the middle of what several repetitions saw, and their range."""
    by_place: dict[tuple[str, float], list[float]] = {}
    for point in points:
        by_place.setdefault((point.subject, point.x), []).append(point.y)
    return [
        Point(subject, x, sorted(ys)[len(ys) // 2], min(ys), max(ys)) for (subject, x), ys in sorted(by_place.items())
    ]


BUILDER = Builder(draw=pictures)
