"""Curves over an age: what was measured fresh, and again after the device had been overwritten so many times."""

from statistics import median
from typing import Any

from spindlemark.findings.report import Group, MetricTable
from spindlemark.publish import configuration
from spindlemark.publish.context import Context
from spindlemark.publish.numbers import fixed, number

Page = dict[str, Any]
FRESH, AGED, CYCLES = "fresh_", "aged_", "overwritten_ratio"
# In units of the drawing, as its template has them: the ends of the plot, and how far apart names beside it are.
LEFT, RIGHT, TOP, BOTTOM, APART = 12, 330, 14, 206, 15


def of_group(group: Group, context: Context, wanted: list[str]) -> list[Page]:
    """One drawing per metric that has both ages, a curve per subject; those that are shown of many."""
    tables = {t.metric: t for t in group.metrics}
    cycles = {c.subject: median(c.samples) for c in tables[CYCLES].cells if c.samples} if CYCLES in tables else {}
    shown = configuration.leading(group.subjects, wanted)
    pairs = [(t, tables.get(AGED + t.metric.removeprefix(FRESH))) for t in group.metrics if t.metric.startswith(FRESH)]
    found = [_drawing(fresh, aged, cycles, shown, context) for fresh, aged in pairs if aged]
    return [drawing for drawing in found if drawing["lines"]]


def _drawing(fresh: MetricTable, aged: MetricTable, cycles: dict[str, float], shown: list[str],
             context: Context) -> Page:
    medians = [{c.subject: c.median for c in table.cells if c.median is not None} for table in (fresh, aged)]
    names = [s for s in shown if s in cycles and all(s in own for own in medians)]
    most = max((own[s] for own in medians for s in names), default=0.0)
    end = max((cycles[s] for s in names), default=0.0)

    def place(age: float, value: float) -> dict[str, int]:
        return {"x": round(LEFT + (RIGHT - LEFT) * age / (end or 1)),
                "y": round(BOTTOM - (BOTTOM - TOP) * value / (most or 1))}

    lines = [{"subject": context.subject(s), "points": [place(0, medians[0][s]), place(cycles[s], medians[1][s])],
              "says": " to ".join(number(own[s], fresh.unit, fresh.metric) for own in medians)} for s in names]
    lines.sort(key=lambda line: line["points"][-1]["y"])
    for above, line in zip([None, *lines], lines, strict=False):
        line["name_y"] = max(line["points"][-1]["y"] + 4, above["name_y"] + APART if above else 0)
    over = max(0, lines[-1]["name_y"] - BOTTOM) if lines else 0
    return {"title": fresh.title.rpartition(",")[0] or fresh.title, "lines": lines, "height": BOTTOM + 24 + over,
            "top": number(most, fresh.unit, fresh.metric), "end": f"{fixed(end, 1)} times overwritten"}
