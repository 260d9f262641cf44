"""Tuned settings relative to their own defaults, in a study and here."""

from typing import Any

from spindlemark.analysis.findings.model import Group, MetricTable
from spindlemark.analysis.studies.source_model import Today
from spindlemark.site.context import Context
from spindlemark.site.studies import ratios

Page = dict[str, Any]
MAIN = "main"


def task(published: list[Group], group: Group, now: MetricTable, today: Today, context: Context) -> Page | None:
    """Return a task for one metric: tuned over default, for each configuration that both have.

    `published`: the study's groups of this library.
    """
    rows, measured = [], {c.configuration for c in now.cells}
    for name, counterpart in today.configurations.items():
        then, here = _then(published, now.metric, name, context), _now(group, now, counterpart.today, context)
        if then is None or counterpart.today not in measured:
            continue
        rows.append(
            {
                "subject": context.configuration(counterpart.today),
                "base": False,
                "then": then,
                "now": here,
                "published": name if name != counterpart.today else None,
                "note": counterpart.note,
                "says": ratios.says(then, here, now.ranked),
            }
        )
    if not rows:
        return None
    ratios.draw(rows)
    return {
        "metric": now.metric,
        "title": now.title,
        "base": "its own default",
        "why": now.why_unranked,
        "rows": rows,
        "words": ratios.relation(now, "its own default"),
    }


def _then(published: list[Group], metric: str, name: str, context: Context) -> Page | None:
    """Return the published ratio to the default of the same series, or of the main series if tuned tests have no default."""
    default = context.configurations.base(name)
    tables = [(g, t) for g in published for t in g.metrics if t.metric == metric]
    for group, table in tables:
        cells = {c.configuration: c for c in table.cells}
        if name not in cells or group.conditions.get("series") == MAIN:
            continue
        if default in cells:
            return ratios.ratio(table, default, name)
        medians = [
            c.median
            for g, t in tables
            if g.conditions.get("series") == MAIN
            for c in t.cells
            if c.configuration == default and c.median
        ]
        return ratios.plain(cells[name].median / medians[0], cells[name].n) if medians else None
    return None


def _now(group: Group, table: MetricTable, name: str, context: Context) -> Page | None:
    """Return the ratio measured here: from the contrast with the default if the findings contain it, else from the medians."""
    cells = {c.configuration: c for c in table.cells}
    gain = next(
        (
            row
            for c in context.contrasted.get(group.group, [])
            for row in c.rows
            if (row.configuration, row.metric) == (name, table.metric)
        ),
        None,
    )
    if gain and name in cells:
        return ratios.of_contrast(gain, table.better, cells[name].n)
    return ratios.ratio(table, context.configurations.base(name), name)
