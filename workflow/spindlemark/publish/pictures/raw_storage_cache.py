"""Caches over storage: seconds over the delay of a request, and from which delay on a cache pays."""

from spindlemark.findings.report import Group
from spindlemark.publish.pictures import Axis, Curves, Point, Seen

METRIC, BASE = "elapsed_seconds", "none"
SAYS = "Time is what the processor needs, and requests times delay: each line is as steep as its cache asks often."


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """One curve per cache over the delays of the group's kind of storage; a file on the disk is one without any."""
    own = _factors(group, seen)
    points: dict[tuple[str, float], Point] = {}
    for other in (group, *seen.beside(group)):
        for table in (t for t in other.metrics if t.metric == METRIC):
            for cell in table.cells:
                told = seen.factors(cell)
                if cell.median is not None and _alike(told, own):
                    delay = float(told["storage.delay_ms"])
                    points.setdefault((cell.subject, delay), Point(cell.subject, delay, cell.median, cell.low, cell.high))
    found = list(points.values())
    if len({p.x for p in found}) < 2:
        return []
    return [Curves("delay", f"Seconds to {own['way']}, over the delay of a request", f"{SAYS} {_pays(found)}",
                   Axis("delay of each request, ms"), Axis("time", "s", METRIC, log=True, zero=False), found)]


def _factors(group: Group, seen: Seen) -> dict[str, str]:
    return next((seen.factors(cell) for table in group.metrics if table.metric == METRIC for cell in table.cells), {})


def _alike(told: dict[str, str], own: dict[str, str]) -> bool:
    """Whether it is the same work, over this kind of storage or none."""
    return (all(told.get(name) == own.get(name) for name in ("way", "sources", "sector_bytes", "filesystem.name"))
            and told["storage.kind"] in ("local", own["storage.kind"]))


def _pays(points: list[Point]) -> str:
    """From which delay on some cache is faster than none: where their intervals are apart; and which is the fastest there."""
    for delay in sorted({p.x for p in points}):
        here = {p.subject: p for p in points if p.x == delay}
        base, others = here.pop(BASE, None), list(here.values())
        fastest = min(others, key=lambda p: p.y, default=None)
        if base and fastest and fastest.high and base.low and fastest.high < base.low:
            where = f"At {delay:g} ms" if delay else "Even on the disk itself"
            return f"{where} a cache pays: {fastest.subject} takes {fastest.y / base.y:.2g} of the time without one."
    return "Up to the largest delay here no cache is faster than none beyond doubt."
