"""The home page: the questions by area, each with its answers, and all advice at a glance."""

from itertools import islice
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable
from spindlemark.analysis.format import number, percent, rising
from spindlemark.core import declared
from spindlemark.site import (
    address,
    contrasts,
    evidence,
    group_pages,
    longer_profiles,
    testbed_labels,
    verdict_labels,
)
from spindlemark.site.context import Context

Page = dict[str, Any]
SCORE = "Score over the weighted tasks"
MOST_ANSWERS = 30  # to one question, on pages that have several questions; the question's own has all
MOST_TESTBEDS = 12  # of a library, and of the tables at a glance, on the home page


def build(findings: Findings, context: Context, planned: dict[str, str]) -> Page:
    """`areas`: the questions of each; `libraries`: a card per library type; `questions`: an entry per other family;
    `glance`: a table per testbed; `most`: how many of them some pages show. `planned`: family -> what is declared to be measured.
    """
    beds = testbed_labels.order(findings)
    newest: dict[tuple, Group] = {}
    for g in findings.groups:  # of groups that only differ in their conditions, the newest comes first
        newest.setdefault((g.testbed, g.family, g.library), g)
    groups = sorted(newest.values(), key=lambda g: beds.index(g.testbed))
    first = [g for g in groups if g.family == address.FIRST]
    workloads = dict.fromkeys(g.library for g in findings.groups if g.family == address.FIRST)
    having = question_list.order(g.family for g in findings.groups)
    return {
        "most": {"answers": MOST_ANSWERS, "testbeds": MOST_TESTBEDS},
        "areas": _areas(having, planned),
        "ask": question_list.ask(address.FIRST),
        "contrasts": contrasts.of_family(address.FIRST, context),
        "libraries": [_card([g for g in first if g.library == name], context) for name in workloads],
        "questions": [
            _question(name, [g for g in groups if g.family == name], context)
            for name in having
            if name != address.FIRST
        ],
        "glance": [
            _glance([g for g in first if g.testbed == bed], context)
            for bed in beds
            if any(g.testbed == bed and g.recommendation for g in first)
        ],
    }


def _areas(having: list[str], planned: dict[str, str]) -> list[Page]:
    """Each area with its families that have results; one without any says what is declared for it, if anything is."""
    named = question_list.areas()
    rest = [name for name in having if not any(name in own for own in named.values())]
    found = []
    for title, own in {**named, **({"More": rest} if rest else {})}.items():
        told = [planned[name] for name in own if planned.get(name)]
        found.append(
            {
                "title": title,
                "ask": question_list.ask(own[0]) if own else title,
                "families": [name for name in own if name in having],
                "planned": told[0] if told else "",
            }
        )
    return found


def _card(groups: list[Group], context: Context) -> Page:
    """A library type with its answer on every testbed."""
    known = context.declared.get(groups[0].library)
    return {
        "title": context.workload(groups[0]),
        "description": known.description if known else "",
        "path": context.groups[groups[0].group],
        "facts": group_pages.facts(groups[0], known),
        "answers": [brief(g, context) for g in groups],
    }


def brief(group: Group, context: Context) -> Page:
    """A group's answer in a few lines."""
    found = group.recommendation
    return {
        "title": context.title(group),
        "workload": context.workload(group),
        "path": context.groups[group.group],
        "testbed": testbed_labels.of_group(group),
        "notes": [group.reason] if group.reason else group.notes,
        **(group_pages.verdict(found, context) if found else {"verdict": None}),
        "statements": found.statements if found else _contrasted(group, context),
        "options": [group_pages.option(o, found, context) for o in found.options] if found else [],
    }


def _contrasted(group: Group, context: Context) -> list[str]:
    """What a group without advice tells all the same: of each further question the answer on what counts most, if any is decided."""
    order = [None, *_weighed(group)]
    told = []
    for asked in context.contrasted.get(group.group, []):
        rows = sorted(
            (row for row in asked.rows if row.primary and row.verdict and row.statement),
            key=lambda row: (
                row.verdict == "undecided",
                order.index(row.metric) if row.metric in order else len(order),
            ),
        )
        # What all tasks cost together means little by itself: the first of them says what of.
        more = (
            row
            for row in rows
            if rows[0].metric is None and row.configuration == rows[0].configuration and row.ratio != rows[0].ratio
        )
        told += [" ".join([asked.title, *(row.statement for row in [*rows[:1], *islice(more, 1)])])] if rows else []
    return list(dict.fromkeys(told))


def _lead(answers: list[Page], groups: list[Group]) -> Page | None:
    """The answer that stands for a question on the home page: what is decided first, then what is chosen from most."""
    told = [
        (answer["verdict"] in ("better", "equivalent"), len(group.candidates or group.configurations), answer)
        for answer, group in zip(answers, groups, strict=True)
        if answer["statements"]
    ]
    return max(told, key=lambda entry: entry[:2])[2] if told else None


def _question(name: str, groups: list[Group], context: Context) -> Page:
    """A family with its groups and, per testbed, the figure that its advice rests on first."""
    beds = list(dict.fromkeys(g.testbed for g in groups))
    groups = sorted(groups, key=lambda g: (beds.index(g.testbed), rising(context.workload(g))))
    answers = [brief(g, context) for g in groups]
    return {
        "family": name,
        "title": question_list.title(name),
        "question": question_list.ask(name),
        "path": address.family(name),
        "limits": question_list.limits(name),
        "longer": longer_profiles.adds(name),
        "contrasts": contrasts.of_family(name, context),
        "groups": answers,
        "lead": _lead(answers, groups),
        "count": len(answers),
        "tables": [_figures([g for g in groups if g.testbed == bed], context) for bed in beds],
    }


def _figures(groups: list[Group], context: Context) -> Page:
    """Configuration by workload: what decides there. That is the score, or of a question of one task its medians; where nothing is
    advised the medians of the first metric, which the column names. What only stands beside the choice comes last.

    `turned`: workloads are more than configurations and longer to say, so they go down.
    """
    columns: list[Page] = []
    rows: dict[str, Page] = {}
    for i, group in enumerate(groups):
        table = _main(group)
        scored = _scored(group)
        columns.append(
            {
                "title": context.workload(group),
                "what": SCORE if scored else table.title if table else "",
                "path": context.groups[group.group],
            }
        )
        for subject, cell in (_scores(group) if scored else _medians(group, table, context)).items():
            rows.setdefault(
                subject,
                {"subject": context.subject(subject), "beside": evidence.stands_beside(groups, subject), "cells": {}},
            )
            rows[subject]["cells"][i] = cell
    for name, row in rows.items():
        row["cells"] = [row["cells"].get(i) or {"status": _missing(group, name)} for i, group in enumerate(groups)]
    told = dict.fromkeys(column["what"] for column in columns)
    for column in columns:
        column["what"] = column["what"] if len(told) > 1 or not column["title"] else ""
    shown = _folded(dict(sorted(rows.items(), key=lambda item: item[1]["beside"])), context)
    return {
        "testbed": testbed_labels.of_group(groups[0]),
        "metric": ", ".join(filter(None, told)),
        "scored": SCORE in told,
        "columns": columns,
        "turned": len(columns) > len(rows) and not shown["blocks"],
        **shown,
    }


def _scored(group: Group) -> bool:
    """Whether a group's answer weighs several tasks, so that no single metric decides it."""
    found = group.recommendation
    return found is not None and bool(found.scores) and sum(task.counted for task in found.tasks) > 1


def _scores(group: Group) -> dict[str, Page]:
    """Configuration -> its score, best first, with the verdict of the first option against it."""
    scores = group.advice.scores
    return {s: _cell(group, s) for s in sorted(scores, key=lambda s: scores[s])}


def _medians(group: Group, table: MetricTable | None, context: Context) -> dict[str, Page]:
    """Configuration -> its median, best first, with the verdict of the best against it, and where there is a choice with its tier."""
    if table is None:
        return {}
    choice = sum(c.tier is not None for c in table.cells) > 1
    return {
        c.configuration: {
            "median": _at_least(group, c, table) + number(c.median, table.unit, table.kind),
            "tier": c.tier if choice else None,
            "verdict": c.verdict,
            "beside": _beside(group, c.configuration),
            "url": context.experiments.get((c.experiment, c.identity)),
        }
        for c in (table.cells if table else ())
    }


def _at_least(group: Group, cell: Cell, table: MetricTable) -> str:
    """A mark before a largest number where nothing that was tried was too many."""
    known = declared.metrics(group.family).get(table.metric)
    failed = group.cells(known.failed) if known and known.failed else []
    return "≥ " * any(c.configuration == cell.configuration and c.median == 0 for c in failed)


def _beside(group: Group, subject: str) -> str:
    """What the family lets stand beside a figure, as the rate that a codec really took."""
    table = next(
        (t for name in question_list.beside(group.family)[:1] for t in group.metrics if t.metric == name), None
    )
    return (
        next((number(c.median, table.unit, table.kind) for c in table.cells if c.configuration == subject), "")
        if table
        else ""
    )


def _missing(group: Group, subject: str) -> str | None:
    """Why a configuration has no figure, as failed; None where nobody measured it so."""
    gone = next((a.status for a in group.absent if a.configuration == subject), None)
    return gone or ("not weighed" if subject in group.configurations else None)


def _main(group: Group) -> MetricTable | None:
    """The table of the task with the greatest weight, also where nothing is advised, or the first ranked one."""
    tables = {t.metric: t for t in group.metrics}
    names = [name for name in _weighed(group) if name in tables]
    ranked = [t.metric for t in group.metrics if t.ranked]
    names = [*names, *ranked, *tables]
    return tables[names[0]] if names else None


def _weighed(group: Group) -> list[str]:
    """The metrics of the group's tasks, the greatest weight first: as they were weighed, else as is declared today."""
    if group.recommendation:
        return [task.metric for task in sorted(group.recommendation.tasks, key=lambda task: -task.weight)]
    asked = question_list.declared().get(group.family)
    weights = asked.weights_of(group.library) if asked else None
    if not asked or not weights:
        return []
    return [asked.tasks[name].metric for name in sorted(weights, key=lambda name: -weights[name].weight)]


def _glance(groups: list[Group], context: Context) -> Page:
    """All advice of one testbed: configuration by library, with score and probability, or why there is none."""
    own = [g for g in groups if g.recommendation]
    best = {
        s: min(g.advice.scores.get(s, float("inf")) for g in own)
        for g in own
        for s in [*(g.candidates or g.configurations), *(a.configuration for a in g.absent)]
    }
    rows = {
        s: {"subject": context.subject(s), "cells": [_cell(g, s) for g in own]}
        for s in sorted(best, key=lambda s: (best[s], s))
    }
    options = [g.advice.options[0].configuration for g in own if g.advice.options]
    return {
        "testbed": testbed_labels.of_group(own[0]),
        "columns": [{"title": context.workload(g), "path": context.groups[g.group]} for g in own],
        **_folded(rows, context, options),
    }


def _folded(rows: dict[str, Page], context: Context, wanted: list[str] | None = None) -> Page:
    """The rows that are shown first, and where they are not all, every row by filesystem."""
    first = context.configurations.leading(list(rows), wanted or [])
    return {
        "count": len(rows),
        "first": [rows[s] for s in first],
        "blocks": evidence.blocks(rows, context) if len(first) < len(rows) else [],
    }


def _cell(group: Group, subject: str) -> Page:
    found = group.advice
    if subject not in found.scores:
        return {"status": _missing(group, subject)}
    first = found.options[0].configuration if found.options else None
    chance = found.probability_best.get(subject)
    return {
        "score": group_pages.score(found.scores[subject], found),
        "probability": "" if chance is None else percent(chance),
        "first": subject == first,
        "tier": 1 if subject in found.first else None,
        "verdict": verdict_labels.of_pairs(found, first).get(subject),
    }
