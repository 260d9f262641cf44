"""Growth with size, published and measured here: exponents of power laws.

A study's line is fitted only in the range of our sizes, because the constant part of a file dominates small files.
"""

from typing import Any

from spindlemark.analysis.findings.model import Group
from spindlemark.analysis.studies.published_cells import table_rows
from spindlemark.analysis.studies.source_model import Grown, Source
from spindlemark.core import paths
from spindlemark.site import power_law
from spindlemark.site.context import Context
from spindlemark.site.power_law import Growth
from spindlemark.site.studies import entries, ratios

Page = dict[str, Any]
Points = list[tuple[float, float]]
BEYOND = 1.1  # printed sizes up to this factor outside the range of ours are used too


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """Return one entry per study, family and testbed, with a task for each printed column and a row for each configuration."""
    return entries.gathered(
        groups, known, context, entries.Kind("grown", "Growth", "grown", lambda today: today.grown, _task)
    )


def _task(grown: Grown, source: Source, groups: list[Group], context: Context) -> Page | None:
    found: dict[str, Points] = {}
    for group in groups:
        size = entries.shared_factors(group).get(grown.factor)
        if not size:
            continue
        for cell in group.cells(grown.metric):
            if cell.median and not cell.short:
                found.setdefault(cell.configuration, []).append((float(size), cell.median))
    rows = [row for name, points in sorted(found.items()) if (row := _row(grown, source, name, points, context))]
    ratios.draw(rows, scale=float)
    return (
        {
            "metric": grown.metric,
            "title": grown.title,
            "base": "a power of the size",
            "why": None,
            "rows": rows,
            "words": "exponent of the growth with size",
            "note": grown.note,
        }
        if rows
        else None
    )


def _row(grown: Grown, source: Source, name: str, points: Points, context: Context) -> Page | None:
    least, most = min(x for x, _ in points) / BEYOND, max(x for x, _ in points) * BEYOND
    now, then = (
        power_law.fitted(points),
        power_law.fitted([p for p in _printed(grown, source) if least <= p[0] <= most]),
    )
    if now is None or then is None:
        return None
    return {
        "subject": context.configuration(name),
        "base": False,
        "then": _shown(then),
        "now": _shown(now),
        "says": _says(then, now),
        "note": f"{now.points} sizes here, {then.points} in the study",
    }


def _says(then: Growth, now: Growth) -> str:
    if not now.conclusive:
        return "too few sizes"
    return "intervals do not overlap" if now.low > then.high or now.high < then.low else "intervals overlap"


def _printed(grown: Grown, source: Source) -> Points:
    rows = table_rows(paths.REFERENCE / source.id, grown.table, source.tables[grown.table])
    return [
        (float(row[grown.size]), float(row[grown.column])) for row in rows if row[grown.column] not in source.missing
    ]


def _shown(found: Growth) -> Page:
    """Return an exponent in the form of a ratio."""
    return ratios.plain(found.exponent, found.points) | {
        "text": f"{found.exponent:.2f}",
        "low": found.low,
        "high": found.high,
        "interval": f"{found.low:.2f} to {found.high:.2f}",
    }
