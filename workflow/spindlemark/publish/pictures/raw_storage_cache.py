"""Caches over storage: seconds over the delay of a request, and from which delay on a cache pays."""

from typing import NamedTuple

from spindlemark.findings import words
from spindlemark.findings.report import Cell, Group
from spindlemark.publish import requests
from spindlemark.publish.pictures import Axis, Curves, Point, Seen

METRIC, BASE = "elapsed_seconds", "none"
SAYS = "Time is what the processor needs, and requests times delay: each line is as steep as its cache asks often."
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


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """One curve per cache over the delays of the group's kind of storage; a file on the disk is one without any."""
    own = next((way.told for way in _ways(group, seen)), {})
    alike: dict[tuple[str, float], Way] = {}
    for other in (group, *seen.beside(group)):
        for way in _ways(other, seen):
            if _alike(way.told, own):
                alike.setdefault((way.told["cache.name"], way.delay), way)
    found = list(alike.values())
    if len({way.delay for way in found}) < 2:
        return []
    says = " ".join([SAYS, *_measured(found), *_computed(found)])
    return [Curves("delay", f"Seconds to {own['way']}, over the delay of a request", says, Axis("delay of each request, ms"),
                   Axis("time", "s", METRIC, log=True, zero=False), [_point(way) for way in found])]


def _ways(group: Group, seen: Seen) -> list[Way]:
    by_subject: dict[str, dict[str, Cell]] = {}
    for table in group.metrics:
        for cell in table.cells:
            by_subject.setdefault(cell.subject, {})[table.metric] = cell
    return [Way(subject, seen.factors(cells[METRIC]), cells) for subject, cells in by_subject.items()
            if METRIC in cells and cells[METRIC].median is not None]


def _alike(told: Factors, own: Factors) -> bool:
    """Whether it is the same work, over this kind of storage or none."""
    return (all(told.get(name) == own.get(name) for name in ("way", "sources", "sector_bytes", "filesystem.name"))
            and told["storage.kind"] in ("local", own["storage.kind"]))


def _point(way: Way) -> Point:
    cell = way.cells[METRIC]
    return Point(way.subject, way.delay, cell.median, cell.low, cell.high)


def _measured(found: list[Way]) -> list[str]:
    """At the smallest delay where some cache is faster than none, beyond both intervals, which is the fastest; where that is
    not known since nothing was measured without a cache."""
    lacking = []
    for delay in sorted({way.delay for way in found}):
        here = {way.told["cache.name"]: _point(way) for way in found if way.delay == delay}
        base, others = here.pop(BASE, None), list(here.values())
        fastest = min(others, key=lambda p: p.y, default=None)
        if base is None:
            lacking.append(f"{delay:g}")
        elif fastest and fastest.high and base.low and fastest.high < base.low:
            where = f"At {delay:g} ms" if delay else "Even on the disk itself"
            return [f"{where} a cache pays: with {fastest.subject} it takes {fastest.y / base.y:.2g} of the time without one."]
    told = ["No cache is faster than none beyond doubt at a delay at which both were measured."]
    return [*told, f"Without a cache nothing was measured at {words.listed(lacking)} ms."] if lacking else told


def _computed(found: list[Way]) -> list[str]:
    """From which delay on the cache that asks least often pays, and what it takes without one, from what was measured on the disk."""
    lines = {way.told["cache.name"]: (way.subject, line) for way in found
             if not way.delay and (line := requests.line(way.cells))}
    base, others = lines.pop(BASE, None), list(lines.values())
    if base is None or not others:
        return []
    subject, least = min(others, key=lambda each: each[1].requests)
    where = requests.crossing(least, base[1])
    if where is None:
        return []
    longest = max(way.delay for way in found)
    return [f"Computed from processor seconds and requests: with {subject} it takes less time {_from(where)}; without a cache the "
            f"{base[1].requests:,.0f} requests take {words.quantity(base[1].at(longest / 1000), 's')} at {longest:g} ms."]


def _from(where: requests.Crossing) -> str:
    delay = words.quantity(where.delay, "s")
    if where.low is None or where.high is None:
        return "at any delay, without an interval yet" if where.delay <= 0 else f"from {delay} of each request on, without an interval yet"
    low, high = words.quantity(where.low, "s"), words.quantity(where.high, "s")
    if where.high <= 0:
        return "at any delay"
    if where.low <= 0:
        return f"from {high} of each request on at the latest, and perhaps without any delay"
    return f"from {delay} of each request on ({low} to {high})"
