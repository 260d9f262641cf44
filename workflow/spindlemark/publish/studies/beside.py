"""Published figures that mean the same on every machine, as bits per pixel, beside what was measured here."""

from collections.abc import Mapping
from math import prod
from typing import Any

from spindlemark import paths
from spindlemark.findings.report import Cell, Group
from spindlemark.publish.context import Context
from spindlemark.publish.studies import entries, ratios
from spindlemark.reference.cells import label, table_rows
from spindlemark.reference.model import Figure, Scaled, Source

Page = dict[str, Any]


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """One entry per study, family and testbed: a task for each figure, a row for each subject and workload of ours."""
    return entries.gathered(groups, known, context,
                            entries.Kind("figure", "Figures", "figures", lambda today: today.figures, _task))


def _task(figure: Figure, source: Source, groups: list[Group], context: Context) -> Page | None:
    then = ratios.plain(_printed(figure, source), 1)
    rows = [_row(cell, group, figure, dict(then), context) for group in groups for table in group.metrics
            if table.metric == figure.metric for cell in table.cells if cell.median]
    ratios.draw(rows)
    return {"metric": figure.metric, "title": figure.title, "base": figure.one, "why": None, "rows": rows, "words": "times as much",
            "note": figure.note} if rows else None


def _printed(figure: Figure, source: Source) -> float:
    """The printed figure in multiples of one."""
    table = source.tables[figure.table]
    row = next(r for r in table_rows(paths.REFERENCE / source.id, figure.table, table) if label(r, table) == figure.row)
    return _scaled(float(row[figure.column]), figure.then, {})


def _row(cell: Cell, group: Group, figure: Figure, then: Page, context: Context) -> Page:
    shared = entries.told(group)
    low, high = (value and _scaled(value, figure.now, shared) for value in (cell.low, cell.high))
    now = ratios.plain(_scaled(cell.median, figure.now, shared), cell.n) | {"low": low, "high": high}
    if low and high:
        now["interval"] = f"{ratios.short(low)}–{ratios.short(high)}"
    return {"subject": context.subject(cell.subject), "base": False, "then": then, "now": now, "published": figure.called,
            "note": context.title(group), "says": f"{ratios.short(now['value'] / then['value'])} times what the study prints"}


def _scaled(value: float, scaled: Scaled, told: Mapping[str, Any]) -> float:
    def product(parts: list[float | str]) -> float:
        return prod(float(told[part]) if isinstance(part, str) else part for part in parts)

    return value * product(scaled.times) / product(scaled.over)
