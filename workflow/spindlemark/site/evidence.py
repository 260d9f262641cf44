"""Evidence of one group: the cells of every metric as text, and the scorecard of the weighted tasks."""

from collections.abc import Sequence
from math import inf
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Group, MetricTable, Pair, Precision, Recommendation
from spindlemark.analysis.format import MISSING, count, interval, number, percent, ratio, times
from spindlemark.core import declared
from spindlemark.core.lossless import is_lossless
from spindlemark.site import address, verdict_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
TOO_SHORT = "too short"
# What a table of many configurations shows first.
CANDIDATES, DEFAULTS = "the candidates", "the default and the best of each filesystem"
# What the ratio of a cell to the best is; the browser has a text for each.
EXACT, BOUND, INSEPARABLE, NOTHING = range(4)


def metric(table: MetricTable, group: Group, context: Context, wanted: list[str]) -> Page:
    """One metric of a group: cells in `first`, and all cells in `blocks` if there are more.

    `wanted`: configurations that are always in `first`.
    """
    cells = {c.configuration: cell(c, table, context) for c in table.cells}
    ratios = {c.configuration: c.ratio if c.ratio is not None else inf for c in table.cells}
    # A table lists configurations that are not candidates last, even if they are the best.
    best_first = sorted(cells, key=lambda s: ratios[s])
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
        "precision": _precision(table.precision),
        "statement": table.statement,
        "verdict": verdict_labels.of_table(table),
        "count": len(cells),
        "first": [cells[s] for s in shown],
        "anchor": fragment(table.metric),
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


def _precision(known: Precision | None) -> str:
    """How far results of one configuration scatter, in words; "" where it is not known."""
    if known is None:
        return ""
    return (
        f"Two repetitions of a configuration differ by less than {percent(known.repeatability)} in 95 % of cases if they "
        f"are of one session, and by less than {percent(known.reproducibility)} if they are of two (repeatability and "
        "reproducibility, ISO 5725)."
    )


def blocks(rows: dict[str, Any], context: Context) -> list[Page]:
    """Rows by configuration as one block per base, its default first; one block without a name if no base has two."""
    found = context.configurations.by_base(rows)
    if len(found) == len(rows):
        return [{"base": "", "rows": [*rows.values()]}]
    return [{"base": name, "rows": [rows[s] for s in own]} for name, own in found.items()]


def is_work(metric: str) -> bool:
    """Whether a metric counts work; one table has all of those."""
    return declared.work(metric) is not None


def shown_at(metric: str) -> str:
    """Fragment of a group's page that shows a metric."""
    return "work" if is_work(metric) else fragment(metric)


def fragment(name: str) -> str:
    """Id of a metric or a group on its page: letters, digits and hyphens."""
    return address.slug(name).replace("_", "-").replace(".", "-")


def probability(p: float) -> str:
    """A p value as text."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def span(low: float | None, high: float | None) -> str:
    """An interval of a ratio."""
    return MISSING if low is None or high is None else f"{times(low)}–{times(high)}"


def counted(
    value: float | None, low: float | None, high: float | None, short: bool, inseparable: bool
) -> dict[str, str]:
    """A ratio and its interval as text. `short`: the better time counts as longer than it was, so both are lower bounds of
    the distance from 1; `inseparable`: too short to compare.
    """
    if inseparable:
        return {"ratio": TOO_SHORT, "interval": MISSING}
    if not short or value is None:
        return {"ratio": ratio(value), "interval": span(low, high)}
    sign, near = ("≤", high) if value < 1 else ("≥", low)
    return {"ratio": f"{sign} {ratio(value)}", "interval": MISSING if near is None else f"{sign} {times(near)}"}


def _pair(p: Pair, table: MetricTable) -> dict[str, str]:
    """The ratio of a pair and its interval as text; missing if only the better one is lossless."""
    medians = {c.configuration: c.median for c in table.cells}
    if is_lossless(medians[p.better], table.unit) and not is_lossless(medians[p.worse], table.unit):
        return {"ratio": MISSING, "interval": MISSING}
    return counted(p.ratio, p.low, p.high, p.short, p.verdict is None)


def bound(c: Cell, table: MetricTable) -> int:
    """Kind of a cell's ratio to the best of its table: EXACT, a BOUND, INSEPARABLE if both are too short to compare, or
    NOTHING if one of the medians is zero.
    """
    best = table.cells[0]
    if c is best or c.ratio is None:
        return EXACT
    if not (c.median and best.median):
        return NOTHING
    return INSEPARABLE if (best.short or c.short) and c.verdict is None else BOUND if best.short else EXACT


def against_best(c: Cell, table: MetricTable) -> dict[str, str]:
    """The ratio of a cell to the best of its table, and its interval, as text."""
    kind = bound(c, table)
    if kind == NOTHING:
        return {"ratio": MISSING, "ratio_interval": MISSING}
    shown = counted(c.ratio, c.ratio_low, c.ratio_high, kind == BOUND, kind == INSEPARABLE)
    return {"ratio": shown["ratio"], "ratio_interval": shown["interval"]}


def cell(c: Cell, table: MetricTable, context: Context) -> Page:
    """One number with its n, interval, marks and the page of its samples."""
    return {
        "subject": context.configuration(c.configuration),
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
    """Configurations by weighted tasks: tier and ratio to the best, one block per base, and metrics that are only shown."""
    found = group.advice
    tables = {table.metric: table for table in group.metrics}
    tasks = [t for t in found.tasks if t.metric in tables]
    unweighted = [table for name in question_list.secondary_metrics(group.family) if (table := tables.get(name))]
    cells = {
        (t.metric, c.configuration): cell(c, tables[t.metric], context) for t in tasks for c in tables[t.metric].cells
    }
    gone = {a.configuration: a.status for a in group.absent}
    rows = {}
    for name in sorted(
        group.configurations, key=lambda s: (only_shown([group], s), s not in found.scores, place(found, s))
    ):
        rows[name] = {
            "subject": context.configuration(name),
            "absent": gone.get(name),
            "beside": only_shown([group], name),
            "cells": [*(cells.get((t.metric, name)) for t in tasks), *(_plain(t, name, context) for t in unweighted)],
        }
    known = context.configurations
    first = known.leading(list(rows), [o.configuration for o in found.options], group.candidates)
    return {
        "tasks": [
            *({**t.model_dump(), "anchor": shown_at(t.metric)} for t in tasks),
            *({"title": t.title, "anchor": shown_at(t.metric), "beside": True} for t in unweighted),
        ],
        "count": len(rows),
        "first": [rows[s] for s in first],
        "blocks": blocks(rows, context) if len(first) < len(rows) else [],
        "shown": DEFAULTS if len(known.by_base(first)) == len(known.by_base(rows)) else CANDIDATES,
    }


def _plain(table: MetricTable, name: str, context: Context) -> Page | None:
    """A configuration's cell under an unweighted metric: without ratio, tier and verdict."""
    found = next((c for c in table.cells if c.configuration == name), None)
    return None if found is None else cell(found, table, context) | {"placed": False, "tier": None, "verdict": None}


def only_shown(groups: Sequence[Group], name: str) -> bool:
    """Whether a configuration is not a candidate of any group, such as a baseline."""
    return not any(
        name in (g.candidates or g.configurations) or any(a.configuration == name for a in g.absent) for g in groups
    )


def place(found: Recommendation, name: str) -> tuple[float, float, str]:
    """Sort key of configurations: score and name, after the probability of being best if there are draws."""
    chance = found.probability_best.get(name, 0.0) if found.draws else 0.0
    return -chance, found.scores.get(name, float("inf")), name
