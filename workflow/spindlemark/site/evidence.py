"""Evidence of one group: every metric's cells as text, and the scorecard of the tasks that advice rests on."""

from collections.abc import Sequence
from math import inf
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Group, MetricTable, Pair, Recommendation
from spindlemark.analysis.format import MISSING, count, interval, number, ratio, times
from spindlemark.core import declared
from spindlemark.core.lossless import is_lossless
from spindlemark.site import address, verdict_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
TOO_SHORT = "too short"
CHOSEN, DEFAULTS = (
    "those that are chosen from",
    "the default and the best of each filesystem",
)  # what is shown first of many
EXACT, BOUND, ALIKE, NOTHING = range(4)


def metric(table: MetricTable, group: Group, context: Context, wanted: list[str]) -> Page:
    """One metric of a group: `cells` best first, which of many stand in `first`, and all of them in `blocks`.

    `wanted`: configurations that are shown however many there are.
    """
    cells = {c.configuration: cell(c, table, context) for c in table.cells}
    ratios = {c.configuration: c.ratio if c.ratio is not None else inf for c in table.cells}
    best_first = sorted(
        cells, key=lambda s: ratios[s]
    )  # what stands beside the choice comes last in a table, and may be best
    shown = [s for s in cells if s in context.configurations.leading(best_first, wanted, group.candidates)]
    head = verdict_labels.interval_head(table.cells, context.confidence)
    return {
        "metric": table.metric,
        "title": table.title,
        "unit": table.unit,
        "better": table.better,
        "ranked": table.ranked,
        "exact": table.exact,
        "primary": table.primary,
        "interval_head": head,
        "mixed": head == "Interval",
        "note": table.note,
        "statement": table.statement,
        "verdict": verdict_labels.of_table(table),
        "count": len(cells),
        "first": [cells[s] for s in shown],
        "anchor": anchor(table.metric),
        "blocks": blocks(cells, context) if len(shown) < len(cells) else [],
        "pairs": [
            {
                "better": p.better,
                "worse": p.worse,
                **_pair(p, table),
                "p": probability(p.p),
                "verdict": verdict_labels.of_pair(p, table),
                "need": verdict_labels.need(p.need),
            }
            for p in table.pairs
            if {p.better, p.worse} <= set(shown)
        ],
    }


def blocks(rows: dict[str, Any], context: Context) -> list[Page]:
    """Configuration -> row as one block per base, its default first; one without a name where no base has two."""
    found = context.configurations.by_base(rows)
    if len(found) == len(rows):
        return [{"base": "", "rows": [*rows.values()]}]
    return [{"base": name, "rows": [rows[s] for s in own]} for name, own in found.items()]


def is_work(metric: str) -> bool:
    """Whether a metric counts work, which has one table for all of it."""
    return declared.work(metric) is not None


def shown_at(metric: str) -> str:
    """Where a group's page shows a metric."""
    return "work" if is_work(metric) else anchor(metric)


def anchor(name: str) -> str:
    """Name of a metric, or a group, inside its page: letters, digits and hyphens."""
    return address.slug(name).replace("_", "-").replace(".", "-")


def probability(p: float) -> str:
    """A p value as text."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def span(low: float | None, high: float | None) -> str:
    """An interval of a ratio."""
    return MISSING if low is None or high is None else f"{times(low)}–{times(high)}"


def counted(value: float | None, low: float | None, high: float | None, short: bool, alike: bool) -> dict[str, str]:
    """A ratio and its interval as text. `short`: the better side counts as longer than it took, so that both are at least so
    far from 1; `alike`: nothing tells the two apart.
    """
    if alike:
        return {"ratio": TOO_SHORT, "interval": MISSING}
    if not short or value is None:
        return {"ratio": ratio(value), "interval": span(low, high)}
    sign, near = ("≤", high) if value < 1 else ("≥", low)
    return {"ratio": f"{sign} {ratio(value)}", "interval": MISSING if near is None else f"{sign} {times(near)}"}


def _pair(p: Pair, table: MetricTable) -> dict[str, str]:
    """The ratio of a pair and its interval as text; none where the better one is lossless."""
    medians = {c.configuration: c.median for c in table.cells}
    if is_lossless(medians[p.better], table.unit) and not is_lossless(medians[p.worse], table.unit):
        return {"ratio": MISSING, "interval": MISSING}
    return counted(p.ratio, p.low, p.high, p.short, p.verdict is None)


def bound(c: Cell, table: MetricTable) -> int:
    """What the ratio of a cell to the best of its table is: EXACT, a BOUND of it, ALIKE where nothing tells the two apart, or
    NOTHING where one of them has none.
    """
    best = table.cells[0]
    if c is best or c.ratio is None:
        return EXACT
    if not (c.median and best.median):
        return NOTHING
    return ALIKE if (best.short or c.short) and c.verdict is None else BOUND if best.short else EXACT


def against_best(c: Cell, table: MetricTable) -> dict[str, str]:
    """The ratio of a cell to the best of its table, and its interval, as text."""
    kind = bound(c, table)
    if kind == NOTHING:
        return {"ratio": MISSING, "ratio_interval": MISSING}
    told = counted(c.ratio, c.ratio_low, c.ratio_high, kind == BOUND, kind == ALIKE)
    return {"ratio": told["ratio"], "ratio_interval": told["interval"]}


def cell(c: Cell, table: MetricTable, context: Context) -> Page:
    """One number with its n, interval, marks and the page that holds its samples."""
    return {
        "subject": context.subject(c.configuration),
        "url": context.experiments.get((c.experiment, c.identity)),
        "n": c.n,
        "missing": c.missing,
        "median": number(c.median, table.unit, table.kind),
        "value": c.median,
        "interval": interval(c.low, c.high, c.median, table.unit, table.kind),
        "range": verdict_labels.is_range(c),
        "tier": c.tier,
        "verdict": c.verdict,
        "short": c.short,
        "placed": c.ratio is not None,
        **against_best(c, table),
        "noisy": sum(c.noisy),
        "noisy_text": f"{sum(c.noisy)} of {count(c.n, 'sample')}",
        "unstable": not c.stable,
    }


def scorecard(group: Group, context: Context) -> Page:
    """Configuration by task: tier and ratio to the best of every task that advice rests on, one block per base, and what the family
    lets stand beside them.
    """
    found = group.advice
    tables = {table.metric: table for table in group.metrics}
    tasks = [t for t in found.tasks if t.metric in tables]
    beside = [table for name in question_list.beside(group.family) if (table := tables.get(name))]
    cells = {
        (t.metric, c.configuration): cell(c, tables[t.metric], context) for t in tasks for c in tables[t.metric].cells
    }
    gone = {a.configuration: a.status for a in group.absent}
    rows = {}
    for subject in sorted(
        group.configurations, key=lambda s: (stands_beside([group], s), s not in found.scores, place(found, s))
    ):
        rows[subject] = {
            "subject": context.subject(subject),
            "absent": gone.get(subject),
            "beside": stands_beside([group], subject),
            "cells": [*(cells.get((t.metric, subject)) for t in tasks), *(_plain(t, subject, context) for t in beside)],
        }
    known = context.configurations
    first = known.leading(list(rows), [o.configuration for o in found.options], group.candidates)
    return {
        "tasks": [
            *({**t.model_dump(), "anchor": shown_at(t.metric)} for t in tasks),
            *({"title": t.title, "anchor": shown_at(t.metric), "beside": True} for t in beside),
        ],
        "count": len(rows),
        "first": [rows[s] for s in first],
        "blocks": blocks(rows, context) if len(first) < len(rows) else [],
        "shown": DEFAULTS if len(known.by_base(first)) == len(known.by_base(rows)) else CHOSEN,
    }


def _plain(table: MetricTable, subject: str, context: Context) -> Page | None:
    """A configuration's cell of what decides nothing: no ratio, no tier and no verdict."""
    found = next((c for c in table.cells if c.configuration == subject), None)
    return None if found is None else cell(found, table, context) | {"placed": False, "tier": None, "verdict": None}


def stands_beside(groups: Sequence[Group], subject: str) -> bool:
    """Whether a configuration only stands beside what is chosen from, as a baseline does, wherever it was measured."""
    return not any(
        subject in (g.candidates or g.configurations) or any(a.configuration == subject for a in g.absent)
        for g in groups
    )


def place(found: Recommendation, subject: str) -> tuple[float, float, str]:
    """Sorts configurations as the advice does: by score and name; by chance first where it has draws."""
    chance = found.probability_best.get(subject, 0.0) if found.draws else 0.0
    return -chance, found.scores.get(subject, float("inf")), subject
