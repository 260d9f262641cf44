"""The home page: filesystems by libraries, then questions by area, each with its answers."""

from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.emulation import emulated
from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.analysis.format import rising
from spindlemark.site import (
    address,
    answer_tables,
    answer_tabs,
    bars,
    contrasts,
    group_pages,
    heatmap,
    longer_profiles,
    testbed_labels,
)
from spindlemark.site.context import Context, newest

Page = dict[str, Any]
MOST_TESTBEDS = 12  # of a library and of the overview, on the home page
_CONCLUSIVE = {None: 0, "undecided": 1}  # how much an answer decides; any other verdict is 2
_NOT_COMPARED = "Measured, but nothing is compared yet."


def build(findings: Findings, context: Context, planned: dict[str, str]) -> Page:
    """`areas`: questions of each area; `libraries`: a card per library type; `questions`: an entry per other family;
    `heatmaps`: a table per testbed; `most`: limits of some pages. `planned`: family -> description of declared experiments.
    """
    beds = context.beds
    groups = sorted(newest(findings.groups), key=lambda g: beds.index(g.testbed))
    first = [g for g in groups if g.family == address.FIRST and not context.series_of(g)]
    workloads = dict.fromkeys(
        g.library for g in findings.groups if g.family == address.FIRST and not context.series_of(g)
    )
    having = question_list.order(g.family for g in findings.groups)
    questions = [
        _question(name, [g for g in groups if g.family == name], context) for name in having if name != address.FIRST
    ]
    heatmaps = [found for bed in beds if (found := heatmap.build([g for g in first if g.testbed == bed], context))]
    return {
        "most": {"testbeds": MOST_TESTBEDS},
        "areas": _areas(having, planned, questions, heatmaps),
        "bars": [found for name in having if (found := bars.build([g for g in groups if g.family == name], context))],
        "ask": question_list.ask(address.FIRST),
        "contrasts": contrasts.of_family(address.FIRST, context),
        "libraries": [_card([g for g in first if g.library == name], context) for name in workloads],
        "questions": questions,
        "heatmaps": heatmaps,
    }


def _areas(having: list[str], planned: dict[str, str], questions: list[Page], heatmaps: list[Page]) -> list[Page]:
    """Each area with its questions, each with its answer in one sentence; an area without results has the plans for it."""
    rows = {page["family"]: _row(page) for page in questions}
    if address.FIRST in having:
        rows[address.FIRST] = _first_row(heatmaps)

    named = question_list.areas()
    rest = [name for name in having if not any(name in own for own in named.values())]
    found = []
    for title, own in {**named, **({"More": rest} if rest else {})}.items():
        plans = [planned[name] for name in own if planned.get(name)]
        found.append(
            {
                "title": title,
                "ask": question_list.ask(own[0]) if own else title,
                "rows": [rows[name] for name in own if name in having],
                "planned": plans[0] if plans else "",
            }
        )
    return found


def _row(page: Page) -> Page:
    """A question with its headline answer, or, after a first repetition, that there is none."""
    lead = page["lead"] or {}
    sentences = lead.get("statements") or lead.get("notes") or []
    return {
        "question": page["question"],
        "path": page["path"],
        "answer": group_pages.headline(sentences[0], 2) if sentences else _NOT_COMPARED,
        "title": lead.get("title", ""),
        "lead": lead.get("path", page["path"]),
        "verdict": lead.get("verdict"),
        "sessions": lead.get("sessions"),
        "count": page["count"],
    }


def _first_row(heatmaps: list[Page]) -> Page:
    """The question about libraries, which the table above answers in full."""
    path = address.family(address.FIRST)
    table = heatmaps[0] if heatmaps else None
    return {
        "question": question_list.ask(address.FIRST),
        "path": path,
        "answer": table["statement"] if table else "",
        "title": table["testbed"]["title"] if table else "",
        "lead": path,
        "verdict": None,
        "sessions": None,
        "count": len(heatmaps),
    }


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
    """A short form of a group's answer."""
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
    """Statements of a group without advice: of each further question on one metric, a conclusive one and the most important.

    The cost over all tasks mixes seconds with bytes, so it comes last.
    """
    order = [*answer_tables.weighted_metrics(group), None]
    statements = []
    for each in context.contrasted.get(group.group, []):
        rows = sorted(
            (row for row in each.rows if row.primary and row.verdict and row.statement),
            key=lambda row: (
                row.verdict == "undecided",
                order.index(row.metric) if row.metric in order else len(order),
            ),
        )
        if rows:
            statements.append(f"{each.title} {rows[0].statement}")
    return list(dict.fromkeys(statements))


def _lead(answers: list[Page], groups: list[Group]) -> Page | None:
    """The answer that represents a question on the home page: that of the most typical workload, of these one that was not
    emulated, of these a conclusive one, then an inconclusive one before one without advice, then that with most candidates.
    """
    found = [
        (
            -question_list.typicality(group.family, group.library),
            not emulated(group.conditions),
            _CONCLUSIVE.get(answer["verdict"], 2),
            len(group.candidates or group.configurations),
            answer,
        )
        for answer, group in zip(answers, groups, strict=True)
        if answer["statements"]
    ]
    return max(found, key=lambda entry: entry[:-1])[-1] if found else None


def _question(name: str, groups: list[Group], context: Context) -> Page:
    """A family with its groups and, per testbed, a table of its main figures."""
    beds = list(dict.fromkeys(g.testbed for g in groups))
    groups = sorted(groups, key=lambda g: (beds.index(g.testbed), rising(context.workload(g))))
    answers = [brief(g, context) for g in groups]
    return {
        "family": name,
        "title": question_list.title(name),
        "question": question_list.ask(name),
        "path": address.family(name),
        "limits": question_list.limits(name),
        "longer": longer_profiles.adds(
            name, {cell.experiment for group in groups for table in group.metrics for cell in table.cells}
        ),
        "contrasts": contrasts.of_family(name, context),
        "tabs": answer_tabs.of_groups(groups, context),
        "groups": answers,
        "lead": _lead(answers, groups),
        "count": len(answers),
        "tables": [answer_tables.figures([g for g in groups if g.testbed == bed], context) for bed in beds],
    }
