"""Pages of groups: the answer, its evidence, and data for custom weights."""

import re
from typing import Any

from spindlemark.analysis.findings import question_list, text
from spindlemark.analysis.findings.model import Group, Option, Recommendation
from spindlemark.analysis.format import MISSING, count, number, percent, ratio
from spindlemark.config import Library
from spindlemark.site import (
    address,
    conditions,
    contrasts,
    evidence,
    recipes,
    testbed_labels,
    verdict_labels,
    work,
)
from spindlemark.site.charts import registry as charts
from spindlemark.site.context import Context

Page = dict[str, Any]
TOPICS = {"inodes": "Inodes created and needed", "reserved": "Reserved space", "format": "Creating the filesystem"}
# Draws give no verdicts. The browser fills in the same sentence.
BEST = "{name} is best in {share} of the draws of samples and weights."


def page(group: Group, context: Context) -> Page:
    """Everything that the page of one group shows, as text and addresses."""
    known = context.declared.get(group.library) if group.family == address.FIRST else None
    found = group.recommendation
    wanted = [o.configuration for o in found.options] if found else []
    return {
        "path": context.groups[group.group],
        "group": group.group,
        "title": context.title(group),
        "question": question_list.ask(group.family),
        "question_path": address.family(group.family),
        "headline": headline(found.statements[0]) if found and found.statements else "",
        "family": group.family,
        "library": group.library,
        "testbed": testbed_labels.of_group(group),
        "workload": context.workload(group),
        "session": context.session(group.session),
        "description": known.description if known else "",
        "facts": [*facts(group, known), *measured_on(group, context)],
        "subjects": [context.configuration(s) for s in group.configurations],
        "notes": group.notes,
        "conditions": conditions.explained(group.conditions),
        "absent": [absent(a, group, context) for a in group.absent],
        "metrics": [
            evidence.metric(table, group, context, wanted)
            for table in group.metrics
            if not evidence.is_work(table.metric)
        ],
        "work": work.page(group, context, wanted),
        "answer": answer(found, context) | {"disturbed": disturbed(group)} if found else None,
        "scorecard": evidence.scorecard(group, context) if found else None,
        "contrasts": contrasts.of_group(group, context),
        "observations": observations(group, context),
    }


def headline(statement: str, sentences: int = 1) -> str:
    """The finding of an answer in a few words: its first sentences, each up to a semicolon."""
    found = re.split(r"\.(?:\s|$)", statement)[:sentences]
    return ". ".join(sentence.split(";")[0] for sentence in found if sentence)


def entry(page: Page) -> Page:
    """Data of a group on other pages, with pictures for its family's page: the family's leading ones, or the first one, and
    all matrices. `lead` is the position of the first of them.
    """
    first = charts.first(page["family"])
    shown = [p for at, p in enumerate(page["pictures"]) if p["name"] in first or not at or "matrix" in p]
    named = {
        name: page[name]
        for name in ("path", "group", "title", "headline", "family", "library", "testbed", "workload", "session")
    }
    return named | {
        "tasks": page["answer"]["tasks"] if page["answer"] else None,
        "pictures": shown,
        "lead": min((first.index(p["name"]) for p in shown if p["name"] in first), default=len(first)),
    }


def picture_place(family: str, shown: Page) -> tuple[str, str]:
    """The place on its family's page that a picture competes for: that of its name, or of pictures that do not lead."""
    return family, shown["name"] if shown["name"] in charts.first(family) else ""


def facts(group: Group, known: Library | None) -> list[dict[str, str]]:
    """The files as measured; if their library's declaration is known, with its real size."""
    return [
        *_files(group.library_factors, known),
        {"label": "Configurations", "value": str(len(group.configurations))},
        {"label": "Device", "value": testbed_labels.title(group.testbed)},
    ]


def _files(factors: dict[str, Any], known: Library | None) -> list[dict[str, str]]:
    """A family without a library writes files of one size, `bytes`, to one folder."""
    if "files" not in factors:
        return []
    f: dict[str, Any] = {"smallest": factors.get("bytes"), "largest": factors.get("bytes")} | factors
    found = {"Files": f"{f['files']:,}" + _share(f["files"], known.files if known else None)}
    if "directories" in f:
        found["Directories"] = f"{f['directories']:,}"
    found["Total"] = number(f["total"], "B")
    if f["smallest"] == f["largest"]:
        found["Each file"] = number(f["smallest"], "B")
    else:
        found["File size"] = " to ".join(number(f[end], "B") for end in ("smallest", "largest"))
    if "content" in f:
        found["Content"] = str(f["content"])
    return [{"label": label, "value": value} for label, value in found.items()]


def measured_on(group: Group, context: Context) -> list[dict[str, str]]:
    """The days of the group's sessions."""
    days = context.sessions(group)
    return [{"label": "Measured on", "value": days}] if days else []


def _share(measured: int, real: int | None) -> str:
    return f" of {real:,}" if real and real != measured else ""


def absent(entry: Any, group: Group, context: Context) -> Page:
    """A configuration without a result, with the reason; it is always shown."""
    return {
        "subject": context.configuration(entry.configuration),
        "status": entry.status,
        "reason": entry.reason,
        "share": f"{entry.repetitions} of {count(entry.of, 'repetition')}",
        "url": context.places.get((group.testbed, group.family, entry.experiment)),
    }


def answer(found: Recommendation, context: Context) -> Page:
    """Statements, options, and every configuration with its verdict compared with the first one, best first."""
    ranked = sorted(found.scores, key=lambda s: evidence.place(found, s))
    first = found.options[0].configuration if found.options else ranked[0]
    against, chance = verdict_labels.of_pairs(found, first), found.probability_best
    sentence = (
        BEST.format(name=ranked[0], share=text.percent(chance[ranked[0]]))
        if found.draws
        else verdict_labels.sentence(found, first, against)
    )
    plots = verdict_labels.plots(found, first, ranked)
    return {
        **verdict(found, context),
        "statements": found.statements,
        "options": [option(o, found, context) for o in found.options],
        "weighed": [
            {
                "subject": context.configuration(s),
                "share": chance.get(s),
                "text": percent(chance.get(s)),
                "verdict": against.get(s),
                "score": score(found.scores[s], found),
                **verdict_labels.multiple(found, first, s),
                "plot": plots.get(s),
            }
            for s in ranked
        ],
        "tasks": [t.model_dump() for t in found.tasks],
        "sentence": sentence,
        "templates": {"best": BEST} if found.draws else verdict_labels.SENTENCES,
        "several": sum(t.counted for t in found.tasks) > 1,
    }


def disturbed(group: Group) -> str:
    """How many of the samples behind an answer had background load; empty for none."""
    tasks = {task.metric for task in group.advice.tasks}
    tables = [table for table in group.metrics if table.metric in tasks]
    if not tables:
        return ""
    most = max(tables, key=lambda table: sum(cell.n for cell in table.cells))
    noisy, of = sum(sum(cell.noisy) for cell in most.cells), sum(cell.n for cell in most.cells)
    return f"{noisy} of {count(of, 'sample')} had background load" if noisy else ""


def verdict(found: Recommendation, context: Context) -> Page:
    """The verdict of an answer, the data needed to settle it, and how many sessions agree."""
    return {
        "verdict": found.verdict,
        "need": "" if found.capped else verdict_labels.need_clause(found.need),
        "sessions": verdict_labels.sessions(found, context),
    }


def score(value: float, found: Recommendation) -> str:
    """A score as text; missing if it is not a ratio."""
    return MISSING if found.lossless and value != 1 else ratio(value)


def option(o: Option, found: Recommendation, context: Context) -> Page:
    """One option with its settings and the recipe that applies them."""
    return {
        "option": o.option,
        "subject": context.configuration(o.configuration),
        "score": score(o.score, found),
        "tier": o.tier,
        "share": o.probability_best,
        "verdict": o.verdict,
        "probability": percent(o.probability_best) if o.probability_best is not None else None,
        "settings": settings(o),
        "recipe": "\n".join(recipes.safe(o.recipe)),
        "costs": o.costs,
    }


def settings(o: Option) -> list[dict[str, str]]:
    """Settings of an option as label and value; empty in releases without them."""
    c = o.settings
    if c is None:
        return []
    found = [
        ("Setting", c.description),
        ("Format", recipes.format_command(" ".join(c.mkfs)) if c.mkfs else ""),
        ("Mount options", ",".join(c.mount)),
        ("Scheduler", c.scheduler),
    ]
    return [{"label": label, "value": value} for label, value in found if value]


def observations(group: Group, context: Context) -> list[Page]:
    """Statements by topic, defaults first."""
    found: dict[str, list[Page]] = {}
    for o in sorted(group.observations, key=lambda o: not context.configurations.is_default(o.configuration)):
        found.setdefault(o.topic, []).append(
            {"subject": context.configuration(o.configuration), "statement": o.statement}
        )
    return [{"title": TOPICS.get(topic, topic.capitalize()), "rows": rows} for topic, rows in found.items()]
