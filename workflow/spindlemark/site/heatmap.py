"""Each candidate with each library, as what it costs more than the best: the table that the home page begins with.

Also each candidate with each amount of one library, on that library's page.
"""

from collections.abc import Sequence
from typing import Any

from spindlemark.analysis.findings import text
from spindlemark.analysis.findings.model import DIFFERENT, Group
from spindlemark.analysis.findings.table_text import find
from spindlemark.analysis.format import ratio
from spindlemark.site import testbed_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
# From which ratio on a cell has the next colour.
STEPS = (1.1, 1.25, 1.5)
FACTOR = 2.0  # from here on a ratio is a factor and no percentage
UNBEATEN = ("best", "tie")


def amounts(group: Group, groups: Sequence[Group], context: Context) -> Page | None:
    """The table of other amounts of a group's library on its testbed, smallest first; None where there are none."""
    own = [g for g in groups if g.testbed == group.testbed and context.series_of(g) == group.library != ""]
    return build(sorted(own, key=lambda g: context.declared[g.library].files), context, "amounts")


def build(groups: Sequence[Group], context: Context, what: str = "libraries") -> Page | None:
    """The table of one testbed; None where no group has advice. `what`: the columns, in the sentence of advice.

    A cell is `best`, `tie` (no difference to the first that matters), `worse`, `open` (inconclusive) or `none`.
    """
    own = [group for group in groups if group.recommendation]
    if not own:
        return None
    names = list(dict.fromkeys(name for group in own for name in group.candidates or group.configurations))
    cells = {name: [_cell(group, name, context) for group in own] for name in names}
    order = sorted(names, key=lambda name: (_count(cells[name], "worse"), -_unbeaten(cells[name]), names.index(name)))
    return {
        "testbed": testbed_labels.of_group(own[0]),
        "columns": [{"title": context.workload(group), "path": context.groups[group.group]} for group in own],
        "rows": [{"subject": context.configuration(name), "cells": cells[name]} for name in order],
        "statement": _statement(order, cells, what),
    }


def _cell(group: Group, name: str, context: Context) -> Page:
    advice, path = group.advice, context.groups[group.group]
    if name not in advice.scores or not advice.options:
        return {"mark": "none", "text": "–", "step": 0, "path": path}
    first = advice.options[0].configuration
    pair = find(advice.pairs, first, name)
    verdict = advice.verdict if name == first else pair.verdict if pair else None
    if verdict == "equivalent":
        return {"mark": "tie", "text": "tie", "step": 0, "path": path}
    if verdict in DIFFERENT:
        if name == first:
            return {"mark": "best", "text": "best", "step": 0, "path": path}
        if pair and pair.worse == name:
            step = sum(pair.ratio >= bound for bound in STEPS)
            return {"mark": "worse", "text": _more(pair.ratio), "step": step, "path": path}
    return {"mark": "open", "text": "open", "step": 0, "path": path}


def _more(value: float) -> str:
    return ratio(value) if value >= FACTOR else f"+{100 * (value - 1):.0f}\N{NO-BREAK SPACE}%"


def _count(cells: Sequence[Page], *marks: str) -> int:
    return sum(cell["mark"] in marks for cell in cells)


def _unbeaten(cells: Sequence[Page]) -> int:
    return _count(cells, *UNBEATEN)


def _statement(order: Sequence[str], cells: dict[str, list[Page]], what: str) -> str:
    """One sentence of advice: who is beaten nowhere, or in the fewest columns."""
    of = len(cells[order[0]])
    measured = [name for name in order if _count(cells[name], "none") < of]
    clear = [name for name in measured if not _count(cells[name], "worse")]
    more = " More rounds will show the open ones." if any(_count(own, "open") for own in cells.values()) else ""
    if clear and (len(clear) < len(measured) or any(_unbeaten(cells[name]) for name in clear)):
        them = "it" if len(clear) == 1 else "them"
        return f"Take {text.either(clear)}: nothing beats {them} with any of these {what}.{more}"
    if measured and not clear:
        return f"{order[0]} is best or equal to the best with {_unbeaten(cells[order[0]])} of {of} {what}.{more}"
    return f"Nothing is decided yet.{more}"
