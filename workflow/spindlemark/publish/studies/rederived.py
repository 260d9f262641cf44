"""The page of re-derivation: a study's summary tables beside what our statistics make of the same samples."""

from collections import Counter
from typing import Any

from spindlemark.publish.studies import places
from spindlemark.reference.model import Source
from spindlemark.reference.published import Rederived

Page = dict[str, Any]
OUTCOMES = {"different": "different", "tie": "not told apart", "same": "same"}


def page(found: list[Rederived], studies: dict[str, Source]) -> list[Page]:
    """One entry per summary table, its cells in printed order."""
    return [_table(table, studies[table.source]) for table in found]


def _table(found: Rederived, source: Source) -> Page:
    headings = source.tables[found.table].columns
    count = Counter(cell.outcome for cell in found.cells)
    return {
        "source": source.id, "study": source.title, "path": places.study(source.id), "number": found.number,
        "title": found.title, "anchor": places.anchor(found.table),
        "url": f"{places.tables(source.id)}#{places.anchor(found.table)}", "statement": found.statement,
        "counts": [{"outcome": o, "title": t, "count": count[o]} for o, t in OUTCOMES.items()],
        "cells": [{**cell.model_dump(), "heading": headings.get(cell.column, cell.column),
                   "row": cell.row.replace(" / ---", "").replace(" / ", ": "), "title": OUTCOMES[cell.outcome],
                   "ours": ", ".join(cell.ours)} for cell in found.cells],
    }
