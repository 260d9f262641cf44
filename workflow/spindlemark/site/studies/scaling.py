"""How something grows with size then and now: exponents of power laws through a printed column and through ours.

A study's line is fitted where ours has points, since small files hold little but what each file holds.
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
BEYOND = 1.1  # a printed size this much smaller or larger than the ends of ours still counts


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """One entry per study, family and testbed: a task for each printed column, a row for each configuration of ours."""
    return entries.gathered(
        groups, known, context, entries.Kind("grown", "Growth", "grown", lambda today: today.grown, _task)
    )


def _task(asked: Grown, source: Source, groups: list[Group], context: Context) -> Page | None:
    found: dict[str, Points] = {}
    for group in groups:
        size = entries.told(group).get(asked.factor)
        if not size:
            continue
        for cell in group.cells(asked.metric):
            if cell.median and not cell.short:
                found.setdefault(cell.configuration, []).append((float(size), cell.median))
    rows = [row for subject, points in sorted(found.items()) if (row := _row(asked, source, subject, points, context))]
    ratios.draw(rows, scale=float)
    return (
        {
            "metric": asked.metric,
            "title": asked.title,
            "base": "a power of the size",
            "why": None,
            "rows": rows,
            "words": "exponent,",
            "note": asked.note,
        }
        if rows
        else None
    )


def _row(asked: Grown, source: Source, subject: str, points: Points, context: Context) -> Page | None:
    least, most = min(x for x, _ in points) / BEYOND, max(x for x, _ in points) * BEYOND
    now, then = (
        power_law.fitted(points),
        power_law.fitted([p for p in _printed(asked, source) if least <= p[0] <= most]),
    )
    if now is None or then is None:
        return None
    return {
        "subject": context.configuration(subject),
        "base": False,
        "then": _shown(then),
        "now": _shown(now),
        "says": _says(then, now),
        "note": f"{now.points} sizes here, {then.points} of the study's",
    }


def _says(then: Growth, now: Growth) -> str:
    if not now.conclusive:
        return "too few sizes to tell"
    return "their intervals do not meet" if now.low > then.high or now.high < then.low else "their intervals meet"


def _printed(asked: Grown, source: Source) -> Points:
    rows = table_rows(paths.REFERENCE / source.id, asked.table, source.tables[asked.table])
    return [
        (float(row[asked.size]), float(row[asked.column])) for row in rows if row[asked.column] not in source.missing
    ]


def _shown(found: Growth) -> Page:
    """As a ratio is shown, which it is none of."""
    return ratios.plain(found.exponent, found.points) | {
        "text": f"{found.exponent:.2f}",
        "low": found.low,
        "high": found.high,
        "interval": f"{found.low:.2f} to {found.high:.2f}",
    }
