"""Work instead of time: requests, bytes and CPU seconds of each step. They vary little, so they explain the times."""

from typing import Any

from spindlemark.analysis.findings.model import Cell, Group, MetricTable
from spindlemark.analysis.format import fixed, number
from spindlemark.core import declared
from spindlemark.core.metric import Work
from spindlemark.site import evidence
from spindlemark.site.context import Context

Page = dict[str, Any]
# Kind of work -> verb for a sentence.
VERBS: dict[Work | None, str] = {
    "written": "writes {ratio} times the bytes of",
    "read": "reads {ratio} times the bytes of",
    "writes": "requests {ratio} times the writes of",
    "reads": "requests {ratio} times the reads of",
    "cpu": "uses {ratio} times the CPU time of",
}
EXACT = 0.05  # of the median: values with a wider spread get no sentence
MOST_SPREAD = 2  # times the median: a wider spread is not shown as a number
LEAST_RATIO = 1.1  # of a sentence
MOST_STATEMENTS = 6


def page(group: Group, context: Context, wanted: list[str]) -> Page | None:
    """Configurations by metrics with the spread of the samples, and sentences on large differences; None without any."""
    tables = [t for t in group.metrics if evidence.is_work(t.metric) and t.cells]
    if not tables:
        return None
    cells = {(t.metric, c.configuration): _cell(c, t, context) for t in tables for c in t.cells}
    names = [s for s in group.configurations if any((t.metric, s) in cells for t in tables)]
    rows = {
        s: {"subject": context.configuration(s), "cells": [cells.get((t.metric, s)) for t in tables]} for s in names
    }
    shown = context.configurations.leading(names, wanted, group.candidates)
    sentences = sorted(filter(None, (_sentence(table, context) for table in tables)), reverse=True)
    return {
        "columns": [t.title for t in tables],
        "count": len(names),
        "first": [rows[s] for s in shown],
        "blocks": evidence.blocks(rows, context) if len(shown) < len(names) else [],
        "statements": [text for _, text in sentences[:MOST_STATEMENTS]],
    }


def _cell(c: Cell, table: MetricTable, context: Context) -> Page:
    return {
        "value": number(c.median, table.unit, table.kind),
        "n": c.n,
        "spread": _percent(_spread(c)),
        "url": context.experiments.get((c.experiment, c.identity)),
    }


def _spread(c: Cell) -> float | None:
    """Range of the samples as a share of the median; None for a single sample."""
    return (max(c.samples) - min(c.samples)) / c.median if c.n > 1 and c.median else None


def _percent(share: float | None) -> str:
    if not share:
        return "" if share is None else "exact"
    return f"±{share * 50:.1f} %" if share <= MOST_SPREAD else f"more than ±{MOST_SPREAD * 50:.0f} %"


def _sentence(table: MetricTable, context: Context) -> tuple[float, str] | None:
    """The defaults with most and least work, if they are known exactly enough."""
    exact = [
        c
        for c in table.cells
        if c.median
        and (spread := _spread(c)) is not None
        and spread <= EXACT
        and context.configurations.is_default(c.configuration)
    ]
    if len(exact) < 2:
        return None
    least, *_, most = sorted(exact, key=lambda c: c.median)
    ratio = most.median / least.median
    if ratio < LEAST_RATIO:
        return None
    words = VERBS[declared.work(table.metric)]
    return (
        ratio,
        f"{table.title}: {most.configuration} {words.format(ratio=fixed(ratio, 1))} {least.configuration} here.",
    )
