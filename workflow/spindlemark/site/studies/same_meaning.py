"""Published figures that are comparable between machines, such as bits per pixel, and the measurements here."""

from collections.abc import Mapping
from math import prod
from typing import Any

from spindlemark.analysis.findings.model import Cell, Group
from spindlemark.analysis.studies.published_cells import label, table_rows
from spindlemark.analysis.studies.source_model import Figure, Scaled, Source
from spindlemark.core import paths
from spindlemark.site.context import Context
from spindlemark.site.studies import entries, ratios

Page = dict[str, Any]
Noted = Mapping[tuple[str, str], str]


def pages(groups: list[Group], known: dict[str, Source], context: Context, noted: Noted) -> list[Page]:
    """Return one entry per study, family and testbed, with a task for each figure and a row for each configuration and workload.

    `noted`: (identity, name) -> the environment's value in all repetitions.
    """

    def task(figure: Figure, source: Source, own: list[Group], context: Context) -> Page | None:
        found = [(g, c) for g in own for c in g.cells(figure.metric) if c.median and _is_meant(figure, g, c, noted)]
        then = ratios.plain(_printed(figure, source), 1)
        rows = [_row(cell, group, figure, dict(then), context) for group, cell in found]
        ratios.draw(rows)
        return (
            {
                "metric": figure.metric,
                "title": figure.title,
                "base": figure.one,
                "why": None,
                "rows": rows,
                "words": f"relative to {figure.one}",
                "note": figure.note,
            }
            if rows
            else None
        )

    return entries.gathered(
        groups, known, context, entries.Kind("figure", "Figures", "figures", lambda today: today.figures, task)
    )


def _is_meant(figure: Figure, group: Group, cell: Cell, noted: Noted) -> bool:
    return (not figure.place or figure.place in group.library_parts) and all(
        noted.get((cell.identity, name)) == value for name, value in figure.noted.items()
    )


def _printed(figure: Figure, source: Source) -> float:
    """Return the printed figure in multiples of one."""
    table = source.tables[figure.table]
    row = next(r for r in table_rows(paths.REFERENCE / source.id, figure.table, table) if label(r, table) == figure.row)
    return _scaled(float(row[figure.column]), figure.then, {})


def _row(cell: Cell, group: Group, figure: Figure, then: Page, context: Context) -> Page:
    shared = entries.shared_factors(group)
    value = _scaled(cell.median, figure.now, shared)
    now = ratios.plain(value, cell.n)
    if cell.low and cell.high:
        low, high = (_scaled(end, figure.now, shared) for end in (cell.low, cell.high))
        now = ratios.within(value, low, high, cell.n)
    return {
        "subject": context.configuration(cell.configuration),
        "base": False,
        "then": then,
        "now": now,
        "published": figure.called,
        "note": context.title(group),
        "says": f"{ratios.short(now['value'] / then['value'])} times the study's value",
    }


def _scaled(value: float, scaled: Scaled, factors: Mapping[str, Any]) -> float:
    def product(parts: list[float | str]) -> float:
        return prod(float(factors[part]) if isinstance(part, str) else part for part in parts)

    return value * product(scaled.times) / product(scaled.over)
