"""Tables of answers: configurations by workloads, with the figures that decide, for the home page and those of families."""

from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Group, MetricTable
from spindlemark.analysis.format import number, percent
from spindlemark.core import declared
from spindlemark.site import evidence, group_pages, testbed_labels, verdict_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
SCORE = "Score over the weighted tasks"


def figures(groups: list[Group], context: Context) -> Page:
    """Configurations by workloads: scores, or medians of the only task; without advice, medians of the first metric, which the
    column names. Configurations that are not candidates come last.

    `turned`: there are more workloads than configurations, so workloads become the rows.
    """
    columns: list[Page] = []
    rows: dict[str, Page] = {}
    scored = all(_scored(group) for group in groups)  # a table has scores or medians, never both
    for i, group in enumerate(groups):
        table = _main(group)
        columns.append(
            {
                "title": context.workload(group),
                "what": SCORE if scored else table.title if table else "",
                "path": context.groups[group.group],
            }
        )
        for name, cell in (_scores(group) if scored else _medians(group, table, context)).items():
            only_shown = evidence.only_shown(groups, name)
            rows.setdefault(name, {"subject": context.configuration(name), "beside": only_shown, "cells": {}})
            rows[name]["cells"][i] = cell
    for name, row in rows.items():
        row["cells"] = [row["cells"].get(i) or {"status": _missing(group, name)} for i, group in enumerate(groups)]
    shown_metrics = dict.fromkeys(column["what"] for column in columns)
    for column in columns:
        column["what"] = column["what"] if len(shown_metrics) > 1 or not column["title"] else ""
    shown = _folded(dict(sorted(rows.items(), key=lambda item: item[1]["beside"])), context)
    return {
        "testbed": testbed_labels.of_group(groups[0]),
        "metric": ", ".join(filter(None, shown_metrics)),
        "scored": SCORE in shown_metrics,
        "second": _second_metric(groups, [cell for row in rows.values() for cell in row["cells"]]),
        "columns": columns,
        "turned": len(columns) > len(rows) and not shown["blocks"],
        **shown,
    }


def _scored(group: Group) -> bool:
    """Whether a group's answer weighs several tasks."""
    found = group.recommendation
    return found is not None and bool(found.scores) and sum(task.counted for task in found.tasks) > 1


def _scores(group: Group) -> dict[str, Page]:
    """Configuration -> its score, best first, with the verdict of the first option compared with it."""
    scores = group.advice.scores
    return {s: _cell(group, s) for s in sorted(scores, key=lambda s: scores[s])}


def _medians(group: Group, table: MetricTable | None, context: Context) -> dict[str, Page]:
    """Configuration -> its median, best first, with the verdict of the best, and its tier if any were compared."""
    if table is None:
        return {}
    choice = any(c.tier is not None and c.verdict for c in table.cells)
    return {
        c.configuration: {
            "median": _at_least(group, c, table) + number(c.median, table.unit, table.kind),
            "tier": c.tier if choice else None,
            "verdict": c.verdict,
            "beside": _unweighted(group, c.configuration),
            "url": context.experiments.get((c.experiment, c.identity)),
        }
        for c in (table.cells if table else ())
    }


def _at_least(group: Group, cell: Cell, table: MetricTable) -> str:
    """A sign before a largest number if no larger one failed."""
    known = declared.metrics(group.family).get(table.metric)
    failed = group.cells(known.failed) if known and known.failed else []
    return "≥ " * any(c.configuration == cell.configuration and c.median == 0 for c in failed)


def _unweighted(group: Group, name: str) -> str:
    """The unweighted metric that is shown with a figure, such as the actual rate of a codec."""
    shown = question_list.secondary_metrics(group.family)[:1]
    table = next((t for metric in shown for t in group.metrics if t.metric == metric), None)
    cells = table.cells if table else []
    return next((number(c.median, table.unit, table.kind) for c in cells if table and c.configuration == name), "")


def _second_metric(groups: list[Group], cells: list[Page]) -> str:
    """The title of the metric of the small second figures; empty where no cell has one."""
    shown = question_list.secondary_metrics(groups[0].family)[:1]
    titles = [declared.metrics(groups[0].family)[name].title for name in shown]
    return titles[0] if titles and any(cell.get("beside") for cell in cells) else ""


def _missing(group: Group, name: str) -> str | None:
    """Why a configuration has no figure, such as failed; None if it was not measured."""
    gone = next((a.status for a in group.absent if a.configuration == name), None)
    return gone or ("not weighted" if name in group.configurations else None)


def _main(group: Group) -> MetricTable | None:
    """The table of the task with the greatest weight, even without advice, else the first ranked one."""
    tables = {t.metric: t for t in group.metrics}
    names = [name for name in weighted_metrics(group) if name in tables]
    ranked = [t.metric for t in group.metrics if t.ranked]
    names = [*names, *ranked, *tables]
    return tables[names[0]] if names else None


def weighted_metrics(group: Group) -> list[str]:
    """Metrics of the group's tasks by weight: those of its advice, else those declared today."""
    if group.recommendation:
        return [task.metric for task in sorted(group.recommendation.tasks, key=lambda task: -task.weight)]
    questions = question_list.declared().get(group.family)
    if not questions:
        return []
    weights = questions.weights_of(group.library, group.question)
    return [questions.tasks[name].metric for name in sorted(weights, key=lambda name: -weights[name].weight)]


def _folded(rows: dict[str, Page], context: Context, wanted: list[str] | None = None) -> Page:
    """The rows to show first, and every row by filesystem if there are more."""
    first = context.configurations.leading(list(rows), wanted or [])
    return {
        "count": len(rows),
        "first": [rows[s] for s in first],
        "blocks": evidence.blocks(rows, context) if len(first) < len(rows) else [],
    }


def _cell(group: Group, name: str) -> Page:
    """The score of a configuration with its probability of being best and verdict."""
    found = group.advice
    if name not in found.scores:
        return {"status": _missing(group, name)}
    first = found.options[0].configuration if found.options else None
    chance = found.probability_best.get(name)
    return {
        "score": group_pages.score(found.scores[name], found),
        "probability": "" if chance is None else percent(chance),
        "first": name == first,
        "tier": 1 if name in found.first else None,
        "verdict": verdict_labels.of_pairs(found, first).get(name),
    }
