"""The printed tables of a study, with corrected units and marks for suspicious cells."""

from typing import Any

from spindlemark.analysis.studies.audit_model import Checked
from spindlemark.analysis.studies.author_errors import FAILED
from spindlemark.analysis.studies.published_cells import filled, label
from spindlemark.analysis.studies.source_model import Measure, Source, Table
from spindlemark.analysis.studies.suspicious_patterns import Anomaly
from spindlemark.analysis.studies.units import number, same
from spindlemark.site.studies import audit_page, locations

Page = dict[str, Any]
Marks = dict[str, list[Page]]  # place -> marks


def marks(source: Source, claims: list[Checked], anomalies: list[Anomaly]) -> Marks:
    """Return the marks of cells that contradicted claims or patterns refer to, with links; places are in lower case."""
    names = audit_page.fragment_names(claims)
    found: Marks = {}
    for c in claims:
        if c.verdict in FAILED:
            found.setdefault(c.place.casefold(), []).append(
                {
                    "sign": "≠" if c.verdict == "contradicted" else "≈",
                    "kind": locations.fragment(c.verdict),
                    "text": c.statement,
                    "url": f"{locations.study(source.id)}#{names[c.id]}",
                }
            )
    for one in anomalies:
        for cell in one.cells:
            found.setdefault(cell.casefold(), []).append(
                {"sign": "?", "kind": "pattern", "text": one.statement, "url": f"{locations.study(source.id)}#patterns"}
            )
    return found


def table(source: Source, name: str, known: Table, rows: list[dict[str, str]], found: Marks) -> Page:
    """Return one printed table; `rows` come from `published_cells.table_rows`."""
    numeric = {c for c in known.columns if any(number(r[c]) for r in rows) and c not in known.keys}
    return {
        "name": name,
        "anchor": locations.fragment(name),
        "number": known.number,
        "title": known.title,
        "section": known.section,
        "note": known.note,
        "csv": f"{locations.offered(source.id)}{name}.csv",
        "size": f"{len(rows)} × {len(known.columns)}",
        "columns": [
            {"heading": heading, "num": column in numeric, **_unit(known, column)}
            for column, heading in known.columns.items()
        ],
        "rows": [
            _row(name, known, row, label(meant, known), numeric, found, source.missing)
            for row, meant in zip(rows, filled(rows, known), strict=True)
        ],
        "units": _reasons(known),
    }


def _row(
    name: str, known: Table, row: dict[str, str], of_row: str, numeric: set[str], found: Marks, missing: dict[str, str]
) -> list[Page]:
    head = known.keys[0] if known.keys and row[known.keys[0]] else None
    return [
        {
            "text": text,
            "head": column == head,
            "num": column in numeric,
            "why": missing.get(text),
            "marks": found.get(f"{name}: {of_row}, {column}".casefold(), []),
        }
        for column, text in row.items()
    ]


def _measures(known: Table, column: str) -> list[Measure]:
    return [m for m in known.measures if column in m.columns]


def _unit(known: Table, column: str) -> Page:
    """Return the unit below a heading; `wrong` is the printed unit if another one is meant."""
    measures = [m for m in _measures(known, column) if not m.pattern and m.form == "number" and m.values is None]
    if not measures or measures[0].unit == "1":
        return {"unit": None, "wrong": None}
    first = measures[0]
    printed = first.printed_unit
    return {"unit": first.unit, "wrong": printed if printed and not same(printed, first.unit) else None}


def _reasons(known: Table) -> list[str]:
    """Explain corrected units, once for all measures with the same reason."""
    found: dict[tuple, list[str]] = {}
    for m in known.measures:
        if m.reason:
            titles = found.setdefault((m.printed_unit, m.unit if not m.pattern else None, m.reason), [])
            titles += [] if m.title in titles else [m.title]
    return [
        f"{', '.join(titles)}: {_change(printed, meant)}{reason}." for (printed, meant, reason), titles in found.items()
    ]


def _change(printed: str | None, meant: str | None) -> str:
    if meant is None:
        return ""
    return f"{f'printed as {printed}' if printed else 'printed without a unit'}, read as {meant}: "
