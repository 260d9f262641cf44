"""Planner table of codecs: the error of each codec at a bit rate, and how many such streams fit a link."""

from typing import Any

from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.analysis.format import number
from spindlemark.site.context import Context

Page = dict[str, Any]
ERROR, UNIT, BITS = "error_levels", "levels", "bits_per_second"
LINK_BITS = 1e9


def codecs(findings: Findings, context: Context) -> Page | None:
    """Return a row per content and bit rate, a column per codec; None if no codec was measured."""
    groups = [g for g in findings.groups if g.library_factors.get(BITS) and g.table(ERROR)]
    names = sorted({name for group in groups for name in group.configurations})
    rows = sorted((_row(group, names, context) for group in groups), key=lambda row: (row["bits"], row["title"]))
    return {"subjects": [context.configuration(name) for name in names], "rows": rows} if rows else None


def _row(group: Group, names: list[str], context: Context) -> Page:
    errors = {c.configuration: c.median for c in group.cells(ERROR)}
    bits = float(group.library_factors[BITS] or 0)
    return {
        "title": context.title(group),
        "path": context.groups[group.group],
        "bits": bits,
        "carried": f"{LINK_BITS // bits:,.0f}",
        "errors": [number(errors.get(name), UNIT).removesuffix(f" {UNIT}") for name in names],
    }
