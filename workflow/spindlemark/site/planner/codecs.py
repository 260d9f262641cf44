"""The planner's part about compression: what each codec loses at a bit rate, and how many such streams a link carries."""

from typing import Any

from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.analysis.format import number
from spindlemark.site.context import Context

Page = dict[str, Any]
ERROR, UNIT, BITS = "error_levels", "levels", "bits_per_second"
LINK_BITS = 1e9


def codecs(findings: Findings, context: Context) -> Page | None:
    """A row per picture and bit rate, a column per codec; None where no codec was measured."""
    groups = [g for g in findings.groups if g.library_factors.get(BITS) and g.table(ERROR)]
    subjects = sorted({subject for group in groups for subject in group.subjects})
    merged: dict[tuple, Page] = {}  # sessions that say the same share a row, which leads to the newest of them
    for group in groups:
        row = _row(group, subjects, context)
        alike = merged.setdefault((group.testbed, group.library, row["bits"], *row["errors"]), row)
        if alike is not row:
            alike.update(
                times=alike["times"] + 1, title=f"{context.workload(group)}, in {alike['times'] + 1} sessions alike"
            )
    rows = sorted(merged.values(), key=lambda row: (row["bits"], row["title"]))
    return {"subjects": [context.subject(subject) for subject in subjects], "rows": rows} if rows else None


def _row(group: Group, subjects: list[str], context: Context) -> Page:
    errors = {c.subject: c.median for c in group.cells(ERROR)}
    bits = float(group.library_factors[BITS] or 0)
    return {
        "title": context.title(group),
        "path": context.groups[group.group],
        "bits": bits,
        "times": 1,
        "carried": f"{LINK_BITS // bits:,.0f}",
        "errors": [number(errors.get(subject), UNIT).removesuffix(f" {UNIT}") for subject in subjects],
    }
