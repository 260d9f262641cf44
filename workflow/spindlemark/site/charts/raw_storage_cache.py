"""Caches over storage: time by delay of a request, the delay from which a cache pays off, and the best cache for each delay."""

from typing import NamedTuple

from spindlemark.analysis.findings import text
from spindlemark.analysis.findings.model import DIFFERENT, Cell, Group, MetricTable
from spindlemark.analysis.findings.model.table_model import Pair
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Curves, Mark, Matrix, Point
from spindlemark.site.planner import requests

METRIC = "elapsed_seconds"
CACHE, NO_CACHE, PYTHON_BUFFER = "cache.name", "none", "buffer-8-kib"  # Python's open() uses the buffer
DELAY, STORAGE, LOCAL, DIRECTION = "storage.delay_ms", "storage.kind", "local", "way"
WORK = (DIRECTION, "sources", "sector_bytes", "filesystem.name")  # equal for all points of a chart
CAPTION = "Time is processor time plus requests times delay, so the slope of each line is the number of requests."
CAPTION_BEST = (
    "The ratio compares the best cache with the next one that it beats; the interval in brackets is simultaneous for all "
    "comparisons at that delay. Inconclusive: these samples show neither a difference nor equivalence."
)
Factors = dict[str, str]


class Cached(NamedTuple):
    """A cache over one storage, with its factors and its cells by metric."""

    name: str
    factors: Factors
    cells: dict[str, Cell]

    @property
    def delay(self) -> float:
        """Delay of each request in milliseconds."""
        return float(self.factors[DELAY])


def charts(group: Group, data: ChartData) -> list[Curves | Matrix]:
    """Return time by delay, one curve per cache, and the best cache for each delay.

    Delays are those of the group's kind of storage; a local file has none.
    """
    own = next((cached.factors for cached in _caches(group, data)), {})
    by_delay: dict[tuple[str, float], Cached] = {}
    tables: dict[float, MetricTable] = {}
    for other in (group, *data.same_question(group)):
        for cached in _caches(other, data):
            if _is_comparable(cached.factors, own):
                by_delay.setdefault((cached.factors[CACHE], cached.delay), cached)
                if table := other.table(METRIC):
                    tables.setdefault(cached.delay, table)
    found = list(by_delay.values())
    if len(tables) < 2:
        return []
    caption = " ".join([*_measured_gain(by_delay, tables), _best(tables), *_computed_gain(found), CAPTION])
    curves = Curves(
        "delay",
        f"Time to {own[DIRECTION]} by delay of a request",
        caption,
        Axis("delay of each request, ms", whole=True),
        Axis("time", "s", log=True, zero=False),
        [_point(cached) for cached in found],
    )
    return [curves, _matrix(tables)]


def _caches(group: Group, data: ChartData) -> list[Cached]:
    by_name: dict[str, dict[str, Cell]] = {}
    for table in group.metrics:
        for cell in table.cells:
            by_name.setdefault(cell.configuration, {})[table.metric] = cell
    return [Cached(name, data.factors(cells[METRIC]), cells) for name, cells in by_name.items() if METRIC in cells]


def _is_comparable(factors: Factors, own: Factors) -> bool:
    """Whether the work is the same and the storage is a local file or of the same kind."""
    return all(factors.get(name) == own.get(name) for name in WORK) and factors[STORAGE] in (LOCAL, own[STORAGE])


def _point(cached: Cached) -> Point:
    cell = cached.cells[METRIC]
    return Point(cached.name, cached.delay, cell.median, cell.low, cell.high)


def _measured_gain(by_delay: dict[tuple[str, float], Cached], tables: dict[float, MetricTable]) -> list[str]:
    """Report the smallest delay at which a cache is better than none, or than Python's buffer if none was not measured."""
    for delay, table in sorted(tables.items()):
        base = by_delay.get((NO_CACHE, delay)) or by_delay.get((PYTHON_BUFFER, delay))
        if base is None:
            continue
        pair = _pair(table, table.cells[0].configuration, base.name)
        if pair and pair.supported:
            where = f"From a delay of {delay:g} ms" if delay else "Even on a local disk"
            missing = "" if base.factors[CACHE] == NO_CACHE else "; nothing was measured there without a cache"
            return [f"{where}, a cache pays off: {base.name} takes {_ratio(pair, f' as {pair.better}')}{missing}."]
    return ["At none of the delays measured here is a cache shown to be faster than no cache."]


def _best(tables: dict[float, MetricTable]) -> str:
    """Report the best cache for each delay; the matrix shows by how much."""
    found: dict[str, list[str]] = {}
    for delay, table in sorted(tables.items()):
        found.setdefault(_leading(table)[0].word, []).append(f"at {delay:g} ms" if delay else "on the local disk")
    return f"Best {'; '.join(f'{text.listed(places)}: {first}' for first, places in found.items())}."


def _matrix(tables: dict[float, MetricTable]) -> Matrix:
    """Return for each delay the best cache, those that may equal it, and the ratio to the next one."""
    rows = [
        (f"{delay:g} ms" if delay else "on the local disk", _leading(table)) for delay, table in sorted(tables.items())
    ]
    return Matrix(
        "best",
        "Best cache by delay",
        CAPTION_BEST,
        "delay of each request",
        "cache",
        ["best", "next", "time of the next"],
        rows,
    )


def _leading(table: MetricTable) -> tuple[Mark, Mark, Mark]:
    best = table.cells[0].configuration
    level = [cell for cell in table.cells[1:] if cell.verdict not in DIFFERENT]
    pairs = [_pair(table, best, cell.configuration) for cell in table.cells[1:] if cell.verdict in DIFFERENT]
    beaten = min(filter(None, pairs), key=lambda pair: pair.ratio, default=None)
    decided = all(cell.verdict == "equivalent" for cell in level)
    names = text.listed([best, *(cell.configuration for cell in level)])
    first = f"{'either of' if decided else 'inconclusive between'} {names}" if level else names
    return (
        Mark(first, "good" if decided else "partly"),
        Mark(beaten.worse if beaten else "none", "none"),
        Mark(_ratio(beaten) if beaten else "–", "none"),
    )


def _pair(table: MetricTable, better: str, worse: str) -> Pair | None:
    return next((pair for pair in table.pairs if (pair.better, pair.worse) == (better, worse)), None)


def _ratio(pair: Pair, other: str = "") -> str:
    least = "at least " if pair.short else ""
    return f"{least}{text.ratio(pair.ratio)} times as long{other} (interval {text.ratio(pair.low)} to {text.ratio(pair.high)})"


def _computed_gain(found: list[Cached]) -> list[str]:
    """Compute from local measurements the delay from which the cache with fewest requests pays off."""
    lines = {
        cached.factors[CACHE]: (cached.name, line)
        for cached in found
        if not cached.delay and (line := requests.line(cached.cells))
    }
    base, others = lines.pop(NO_CACHE, None), list(lines.values())
    if base is None or not others:
        return []
    name, least = min(others, key=lambda each: each[1].requests)
    crossing = requests.crossing(least, base[1])
    if crossing is None:
        return []
    longest = max(cached.delay for cached in found)
    return [
        f"Computed from processor time and requests, {name} pays off {_from(crossing)}; without a cache the "
        f"{base[1].requests:,.0f} requests take {text.quantity(base[1].at(longest / 1000), 's')} at {longest:g} ms."
    ]


def _from(crossing: requests.Crossing) -> str:
    delay = _short(crossing.delay)
    if crossing.low is None or crossing.high is None:
        return ("at any delay" if crossing.delay <= 0 else f"from a delay of {delay}") + ", without an interval yet"
    low, high = _short(crossing.low), _short(crossing.high)
    if crossing.high <= 0:
        return "at any delay"
    if crossing.low <= 0:
        return f"from a delay of {high} at the latest, and perhaps without any delay"
    return f"from a delay of {delay} ({low} to {high})"


def _short(seconds: float) -> str:
    return text.quantity(1e6 * seconds, "µs") if abs(seconds) < 1e-3 else text.quantity(seconds, "s")


BUILDER = Builder(draw=charts, factors=(CACHE, DELAY, STORAGE, *WORK))
