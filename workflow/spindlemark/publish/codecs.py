"""The planner's part about compression: what each codec loses at a bit rate, and how many such streams a link carries."""

from typing import Any

from spindlemark.findings.report import Findings, Group
from spindlemark.publish.context import Context
from spindlemark.publish.numbers import number

Page = dict[str, Any]
ERROR, UNIT, BITS = "error_levels", "levels", "bits_per_second"
LINK_BITS = 1e9


def codecs(findings: Findings, context: Context) -> Page | None:
    """A row per picture and bit rate, a column per codec; None where no codec was measured."""
    groups = [g for g in findings.groups if g.library_factors.get(BITS) and g.table(ERROR)]
    subjects = sorted({subject for group in groups for subject in group.subjects})
    rows = sorted((_row(group, subjects, context) for group in groups), key=lambda row: (row["bits"], row["title"]))
    return {"subjects": [context.subject(subject) for subject in subjects], "rows": rows} if rows else None


def _row(group: Group, subjects: list[str], context: Context) -> Page:
    errors = {c.subject: c.median for c in group.cells(ERROR)}
    bits = float(group.library_factors[BITS])
    return {"title": context.title(group), "path": context.groups[group.group], "bits": bits,
            "carried": f"{LINK_BITS // bits:,.0f}",
            "errors": [number(errors.get(subject), UNIT).removesuffix(f" {UNIT}") for subject in subjects]}
