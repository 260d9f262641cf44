"""Aging: each metric on a new filesystem, and after the device was overwritten several times."""

from collections.abc import Mapping
from statistics import median

from spindlemark.analysis.findings.model import Group, MetricTable
from spindlemark.site.charts.chart_model import Axis, Builder, ChartData, Curves, Point

CYCLES = "overwritten_ratio"
# title -> the metric of a new filesystem and of an aged one
PAIRS: Mapping[str, tuple[str, str]] = {
    "Pieces per 100 MB": ("fresh_extents_per_100_mb", "aged_extents_per_100_mb"),
    "Sequential read": ("fresh_read_bytes_per_second", "aged_read_bytes_per_second"),
    "Streams": ("fresh_streams_count", "aged_streams_count"),
}
CAPTION = (
    "Left: the new filesystem. Right: the same filesystem after recordings were written and deleted until the device had been "
    "overwritten that many times. Only the two ends were measured."
)


def charts(group: Group, _data: ChartData) -> list[Curves]:
    """Return one chart per metric that was measured at both ages."""
    tables = {t.metric: t for t in group.metrics}
    cycles = {c.configuration: median(c.samples) for c in tables[CYCLES].cells if c.samples} if CYCLES in tables else {}
    return [
        _curves(title, tables[fresh], tables[aged], cycles)
        for title, (fresh, aged) in PAIRS.items()
        if {fresh, aged} <= tables.keys()
    ]


def _curves(title: str, fresh: MetricTable, aged: MetricTable, cycles: dict[str, float]) -> Curves:
    ages = [{c.configuration: c for c in table.cells} for table in (fresh, aged)]
    points = [
        Point(name, x, cells[name].median, cells[name].low, cells[name].high)
        for name, end in cycles.items()
        if all(name in cells for cells in ages)
        for x, cells in zip((0.0, end), ages, strict=True)
    ]
    return Curves(
        fresh.metric,
        f"{title}, fresh and aged",
        CAPTION,
        Axis("times overwritten"),
        Axis(title, fresh.unit, fresh.kind),
        points,
    )


BUILDER = Builder(draw=charts)
