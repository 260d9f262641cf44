"""Aging: what was measured fresh, and again after the device had been overwritten so many times."""

from statistics import median

from spindlemark.analysis.findings.model import Group, MetricTable
from spindlemark.site import evidence
from spindlemark.site.charts.pictures import Axis, Builder, Curves, Point, Seen

FRESH, AGED, CYCLES = "fresh_", "aged_", "overwritten_ratio"
SAYS = (
    "From fresh, at the left, to aged: recordings came and went until the device was overwritten so many times. What lies "
    "between the two ages was not measured."
)


def pictures(group: Group, seen: Seen) -> list[Curves]:
    """One per metric that has both ages."""
    tables = {t.metric: t for t in group.metrics}
    cycles = {c.subject: median(c.samples) for c in tables[CYCLES].cells if c.samples} if CYCLES in tables else {}
    pairs = [
        (t, tables.get(AGED + t.metric.removeprefix(FRESH)))
        for t in group.metrics
        if t.metric.startswith(FRESH) and not evidence.is_work(t.metric)
    ]
    return [_curves(fresh, aged, cycles) for fresh, aged in pairs if aged]


def _curves(fresh: MetricTable, aged: MetricTable, cycles: dict[str, float]) -> Curves:
    ages = [{c.subject: c for c in table.cells} for table in (fresh, aged)]
    points = [
        Point(s, x, own[s].median, own[s].low, own[s].high)
        for s, end in cycles.items()
        if all(s in own for own in ages)
        for x, own in zip((0.0, end), ages, strict=True)
    ]
    title = fresh.title.rpartition(",")[0] or fresh.title
    return Curves(
        fresh.metric,
        f"{title}, fresh and aged",
        SAYS,
        Axis("times overwritten"),
        Axis(title, fresh.unit, fresh.kind),
        points,
    )


BUILDER = Builder(draw=pictures)
