"""Caches over storage: seconds over the delay of a request, from which delay on a cache pays, and which is best where."""

from typing import NamedTuple

from spindlemark.analysis.findings import text
from spindlemark.analysis.findings.model import Cell, Group, MetricTable
from spindlemark.analysis.findings.model.table_model import Pair
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Mark, Matrix, Point, Seen
from spindlemark.site.planner import requests

METRIC, BASE, USUAL = "elapsed_seconds", "none", "buffer-8-kib"  # USUAL: what Python gives every file
SAYS = "Time is what the processor needs, and requests times delay: each line is as steep as its cache asks often."
SAYS_BEST = (
    "The ratio is that of the next cache which the best one beats; in brackets the interval for all comparisons of that delay. "
    "What is undecided these samples do not tell apart."
)
Factors = dict[str, str]


class Way(NamedTuple):
    """A cache over one storage: its name on the page, its factors, and its cells by metric."""

    subject: str
    told: Factors
    cells: dict[str, Cell]

    @property
    def delay(self) -> float:
        """Of each request, in milliseconds."""
        return float(self.told["storage.delay_ms"])


def pictures(group: Group, seen: Seen) -> list[Curves | Matrix]:
    """One curve per cache over the delays of the group's kind of storage; a file on the disk has none. Then which is best where."""
    own = next((way.told for way in _ways(group, seen)), {})
    alike: dict[tuple[str, float], Way] = {}
    tables: dict[float, MetricTable] = {}
    for other in (group, *seen.beside(group)):
        for way in _ways(other, seen):
            if _alike(way.told, own):
                alike.setdefault((way.told["cache.name"], way.delay), way)
                if table := other.table(METRIC):
                    tables.setdefault(way.delay, table)
    found = list(alike.values())
    if len(tables) < 2:
        return []
    says = " ".join([*_pays(alike, tables), _best(tables), *_computed(found), SAYS])
    curves = Curves(
        "delay",
        f"Seconds to {own['way']}, over the delay of a request",
        says,
        Axis("delay of each request, ms", whole=True),
        Axis("time", "s", log=True, zero=False),
        [_point(way) for way in found],
    )
    return [curves, _matrix(tables)]


def _ways(group: Group, seen: Seen) -> list[Way]:
    by_subject: dict[str, dict[str, Cell]] = {}
    for table in group.metrics:
        for cell in table.cells:
            by_subject.setdefault(cell.subject, {})[table.metric] = cell
    return [
        Way(subject, seen.factors(cells[METRIC]), cells) for subject, cells in by_subject.items() if METRIC in cells
    ]


def _alike(told: Factors, own: Factors) -> bool:
    """Whether it is the same work, over this kind of storage or none."""
    return all(
        told.get(name) == own.get(name) for name in ("way", "sources", "sector_bytes", "filesystem.name")
    ) and told["storage.kind"] in ("local", own["storage.kind"])


def _point(way: Way) -> Point:
    cell = way.cells[METRIC]
    return Point(way.subject, way.delay, cell.median, cell.low, cell.high)


def _pays(alike: dict[tuple[str, float], Way], tables: dict[float, MetricTable]) -> list[str]:
    """The smallest delay at which a cache is better than none, or than what Python gives every file where none was not measured."""
    for delay, table in sorted(tables.items()):
        base = alike.get((BASE, delay)) or alike.get((USUAL, delay))
        if base is None:
            continue
        pair = _pair(table, table.cells[0].subject, base.subject)
        if pair and pair.supported:
            where = f"From {delay:g} ms of each request on" if delay else "Even on the disk itself"
            lacking = "" if base.told["cache.name"] == BASE else ", and without any cache nothing was measured there"
            return [f"{where} a cache pays: {base.subject} takes {_times(pair, f' as {pair.better}')}{lacking}."]
    return ["At no delay measured here is a cache shown to be faster than none."]


def _best(tables: dict[float, MetricTable]) -> str:
    """Which cache is best at which delays; the matrix says by how much."""
    found: dict[str, list[str]] = {}
    for delay, table in sorted(tables.items()):
        found.setdefault(_leading(table)[0].word, []).append(f"at {delay:g} ms" if delay else "on the disk itself")
    return f"Best {'; '.join(f'{text.listed(places)}: {first}' for first, places in found.items())}."


def _matrix(tables: dict[float, MetricTable]) -> Matrix:
    """What is best at each delay, what cannot be told from it, and how far behind the next one is."""
    rows = [
        (f"{delay:g} ms" if delay else "on the disk itself", _leading(table)) for delay, table in sorted(tables.items())
    ]
    return Matrix(
        "best",
        "Which cache where",
        SAYS_BEST,
        "delay of each request",
        "cache",
        ["best", "next", "the next takes"],
        rows,
    )


def _leading(table: MetricTable) -> tuple[Mark, Mark, Mark]:
    best = table.cells[0].subject
    level = [cell for cell in table.cells[1:] if cell.verdict != "better"]
    pairs = [_pair(table, best, cell.subject) for cell in table.cells[1:] if cell.verdict == "better"]
    beaten = min(filter(None, pairs), key=lambda pair: pair.ratio, default=None)
    decided = all(cell.verdict == "equivalent" for cell in level)
    named = text.listed([best, *(cell.subject for cell in level)])
    first = f"{'either of' if decided else 'undecided between'} {named}" if level else named
    return (
        Mark(first, "good" if decided else "partly"),
        Mark(beaten.worse if beaten else "none", "none"),
        Mark(_times(beaten) if beaten else "–", "none"),
    )


def _pair(table: MetricTable, better: str, worse: str) -> Pair | None:
    return next((pair for pair in table.pairs if (pair.better, pair.worse) == (better, worse)), None)


def _times(pair: Pair, other: str = "") -> str:
    least = "at least " if pair.short else ""
    return f"{least}{text.ratio(pair.ratio)} times as long{other} (interval {text.ratio(pair.low)} to {text.ratio(pair.high)})"


def _computed(found: list[Way]) -> list[str]:
    """From which delay on the cache that asks least often pays, and what it takes without one, from what was measured on the disk."""
    lines = {
        way.told["cache.name"]: (way.subject, line)
        for way in found
        if not way.delay and (line := requests.line(way.cells))
    }
    base, others = lines.pop(BASE, None), list(lines.values())
    if base is None or not others:
        return []
    subject, least = min(others, key=lambda each: each[1].requests)
    where = requests.crossing(least, base[1])
    if where is None:
        return []
    longest = max(way.delay for way in found)
    return [
        f"Computed from processor seconds and requests, {subject} pays {_from(where)}; without a cache the "
        f"{base[1].requests:,.0f} requests take {text.quantity(base[1].at(longest / 1000), 's')} at {longest:g} ms."
    ]


def _from(where: requests.Crossing) -> str:
    delay = _short(where.delay)
    if where.low is None or where.high is None:
        return (
            "at any delay, without an interval yet"
            if where.delay <= 0
            else f"from {delay} of each request on, without an interval yet"
        )
    low, high = _short(where.low), _short(where.high)
    if where.high <= 0:
        return "at any delay"
    if where.low <= 0:
        return f"from {high} of each request on at the latest, and perhaps without any delay"
    return f"from {delay} of each request on ({low} to {high})"


def _short(seconds: float) -> str:
    return text.quantity(1e6 * seconds, "µs") if abs(seconds) < 1e-3 else text.quantity(seconds, "s")


BUILDER = Builder(draw=pictures)
