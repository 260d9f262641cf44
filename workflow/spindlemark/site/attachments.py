"""Attachments of records: output that a repetition stored with its measurements, as tables if it is a list of rows."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from spindlemark.analysis.format import number
from spindlemark.core import declared
from spindlemark.site import address
from spindlemark.site.query import Row

Page = dict[str, Any]
Units = Mapping[str, str]  # key -> unit
SCALAR = (str, int, float, bool, type(None))
MOST_ROWS = 200
UNITS = {
    "B/s": " bytes per second",
    "B": " bytes",
    "s": " seconds",
}  # unit -> words at the end of a label that repeat it
LONGEST = 4000  # characters of text that a page shows; the record has the rest


def of_experiment(records: list[Row], record: Callable[[Row], dict[str, Any]]) -> Page | None:
    """The attachments of the first repetition that has any: with `rows`, `facts` or `text` if possible, otherwise their size only.

    `record` reads the record of a row.
    Skips the first family, which has thousands of records and no attachments.
    """
    for row in records if records[0]["family"] != address.FIRST else []:
        kept = record(row).get("attachments")
        if kept:
            return {
                "n": row["repetition"],
                "kept": [_shown(name, value, declared.units(row["family"])) for name, value in sorted(kept.items())],
            }
    return None


def _shown(name: str, value: Any, units: Units) -> Page:
    page: Page = {"name": name.replace("_", " "), "size": number(len(json.dumps(value)), "B")}
    if isinstance(value, str):
        return page | {"text": value.strip()[:LONGEST]}
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return page | {"text": value["text"].strip()[:LONGEST]}
    if isinstance(value, dict) and value and all(isinstance(v, SCALAR) for v in value.values()):
        return page | {
            "facts": [{"label": _words(k, units.get(k)), "value": _text(v, units.get(k))} for k, v in value.items()]
        }
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        columns = list(dict.fromkeys(k for row in value for k, v in row.items() if isinstance(v, SCALAR)))
        times = Counter(tuple(_text(row.get(c), units.get(c)) for c in columns) for row in value)
        several = max(times.values()) > 1  # equal rows are shown once
        rows = [[*row, *([f"{count:,}"] if several else [])] for row, count in list(times.items())[:MOST_ROWS]]
        return page | (
            {"columns": [*(_words(c, units.get(c)) for c in columns), *(["times"] if several else [])], "rows": rows}
            if columns
            else {}
        )
    return page


def _words(key: str, unit: str | None) -> str:
    return key.replace("_", " ").removesuffix(UNITS.get(unit or "", ""))


def _text(value: Any, unit: str | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    if isinstance(value, (int, float)) and unit:
        return number(value, unit)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else value
