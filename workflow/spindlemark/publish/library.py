"""Pages of library types: the answer, its evidence, and what lets a reader weigh the tasks anew."""

from collections import Counter
from typing import Any, NamedTuple

from spindlemark.declare import Library
from spindlemark.findings import words
from spindlemark.findings.report import Cell, Group, MetricTable, Option, Recommendation
from spindlemark.publish.numbers import MISSING, count, fixed, interval, number, percent, ratio

Page = dict[str, Any]
# The browser fills in the same sentence when a reader weighs the tasks anew.
BEST = "{subject} is best in {share} of the draws of samples and weights."


class Studied(NamedTuple):
    """What pages know of published groups: group -> id of its study, (study, identity, metric) -> printed table, and
    the studies with several testbeds."""

    sources: dict[str, str]
    tables: dict[tuple[str, str, str], str]
    several: set[str]

    def title(self, group: Group, library: str | None) -> str:
        """A group with its study; tests of a whole device have no library."""
        series = group.conditions.get("series")
        plain = library or (group.library if group.library not in ("", "none", "None") else "no library")
        source = self.sources[group.group]
        where = f" on {group.testbed}" if source in self.several else ""
        return f"{plain}{where}{'' if series in (None, 'main') else f', {series}'} ({source})"


class Context:
    """What every page builder needs to know about the version it builds."""

    def __init__(self, looks: dict[str, dict], experiments: dict, libraries: dict[str, str],
                 declared: dict[str, Library], several_testbeds: bool, studied: "Studied | None" = None) -> None:
        self.looks = looks
        self.experiments = experiments
        self.by_slug = {slug: path for (slug, _), path in experiments.items()}
        self.libraries = libraries
        self.declared = declared
        self.several_testbeds = several_testbeds
        self.studied = studied or Studied({}, {}, set())

    def title(self, group: Group) -> str:
        """What readers call the group: the library's title, with the study, or the testbed where there are several."""
        known = self.declared.get(group.library)
        title = known.title if known else group.library
        if group.group in self.studied.sources:
            return self.studied.title(group, known.title if known else None)
        return f"{title} on {group.testbed}" if self.several_testbeds else title

    def subject(self, name: str) -> dict[str, Any]:
        return {"name": name, **self.looks[name]}


def page(group: Group, context: Context) -> Page:
    """Everything the page of one group shows, as text and addresses."""
    known = context.declared.get(group.library)
    return {
        "path": context.libraries[group.group], "group": group.group, "title": context.title(group),
        "library": group.library, "testbed": group.testbed,
        "description": known.description if known else "",
        "facts": facts(group, known),
        "subjects": [context.subject(s) for s in group.subjects],
        "notes": group.notes,
        "conditions": [{"label": k, "value": plain_value(k, v)} for k, v in group.conditions.items()],
        "absent": [absent(a, context) for a in group.absent],
        "metrics": [metric(table, group, context) for table in group.metrics],
        "answer": answer(group.recommendation, context) if group.recommendation else None,
        "scorecard": scorecard(group, context) if group.recommendation else None,
    }


def facts(group: Group, known: Library | None) -> list[dict[str, str]]:
    """The library as it was measured; where its declaration is known, also how much smaller than the real one."""
    f = group.library_factors
    found = [{"label": "Files", "value": f"{f['files']:,}" + _share(f["files"], known and known.files)}]
    found.append({"label": "Directories", "value": f"{f['directories']:,}"})
    found.append({"label": "Total", "value": number(f["total"], "B")})
    if f["smallest"] == f["largest"]:
        found.append({"label": "Each file", "value": number(f["largest"], "B")})
    else:
        found.append({"label": "File size", "value": f"{number(f['smallest'], 'B')} to {number(f['largest'], 'B')}"})
    return [*found, {"label": "Content", "value": str(f["content"])}, {"label": "Testbed", "value": group.testbed}]


def plain_value(name: str, value: Any) -> str:
    """A fact as text: bytes with their prefix, the rest in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "unknown"
    return number(value, "B") if name.endswith("bytes") and isinstance(value, int) else str(value)


def _share(measured: int, real: int | None) -> str:
    return f" of {real:,}" if real and real != measured else ""


def absent(entry: Any, context: Context) -> Page:
    """A subject without a result here, with the reason; it is shown, never dropped."""
    return {"subject": context.subject(entry.subject), "status": entry.status, "reason": entry.reason,
            "share": f"{entry.repetitions} of {count(entry.of, 'repetition')}",
            "url": context.by_slug.get(entry.experiment)}


def answer(found: Recommendation, context: Context) -> Page:
    """Statements, options and every subject's probability, best first."""
    ranked = sorted(found.probability_best.items(), key=lambda item: (-item[1], item[0]))
    return {
        "supported": found.supported, "statements": found.statements,
        "options": [option(o, context) for o in found.options],
        "probabilities": [{"subject": context.subject(s), "share": p, "text": percent(p),
                           "score": ratio(found.scores.get(s))} for s, p in ranked],
        "tasks": [t.model_dump() for t in found.tasks],
        "sentence": BEST.format(subject=ranked[0][0], share=words.percent(ranked[0][1])), "template": BEST,
        "several": sum(t.counted for t in found.tasks) > 1,
    }


def option(o: Option, context: Context) -> Page:
    return {"option": o.option, "subject": context.subject(o.subject), "score": ratio(o.score), "tier": o.tier,
            "share": o.probability_best, "probability": percent(o.probability_best),
            "recipe": "\n".join(o.recipe), "costs": o.costs}


def metric(table: MetricTable, group: Group, context: Context) -> Page:
    """One metric of a group: its cells as text, best first, with marks and addresses."""
    return {
        "metric": table.metric, "title": table.title, "unit": table.unit, "better": table.better,
        "ranked": table.ranked, "why_unranked": table.why_unranked, "statement": table.statement,
        "cells": [cell(c, table, tied, context) for c, tied in zip(table.cells, ties(table), strict=True)],
        "anchor": table.metric.replace("_", "-"),
        "pairs": [{"better": p.better, "worse": p.worse, "ratio": ratio(p.ratio), "supported": p.supported,
                   "interval": _plain(p.low, p.high),
                   "p": "< 0.001" if p.p < 0.001 else f"{p.p:.3f}"} for p in table.pairs],
    }


def ties(table: MetricTable) -> list[bool]:
    """Per cell: does another subject share its tier?"""
    sizes = Counter(c.tier for c in table.cells)
    return [c.tier is not None and sizes[c.tier] > 1 for c in table.cells]


def cell(c: Cell, table: MetricTable, tied: bool, context: Context) -> Page:
    """One number with its n, interval, marks and the page that holds its samples."""
    return {
        "subject": context.subject(c.subject), "url": context.experiments.get((c.experiment, c.identity)),
        "n": c.n, "missing": c.missing, "median": number(c.median, table.unit, table.metric), "value": c.median,
        "interval": interval(c.low, c.high, c.median, table.unit, table.metric),
        "tier": c.tier, "tie": tied,
        "ratio": ratio(c.ratio), "ratio_interval": _plain(c.ratio_low, c.ratio_high),
        "noisy": sum(c.noisy), "noisy_text": f"{sum(c.noisy)} of {count(c.n, 'sample')}", "unstable": not c.stable,
    }


def _plain(low: float | None, high: float | None) -> str:
    return MISSING if low is None or high is None else f"{fixed(low, 2)}–{fixed(high, 2)}"


def scorecard(group: Group, context: Context) -> Page:
    """Subject by task: tier and ratio to the best of every task that advice rests on."""
    found = group.recommendation
    tables = {table.metric: table for table in group.metrics}
    cells = {(t.metric, c.subject): cell(c, t, tied, context)
             for t in group.metrics for c, tied in zip(t.cells, ties(t), strict=True)}
    tasks = [t for t in found.tasks if t.metric in tables]
    gone = {a.subject: a.status for a in group.absent}
    rows = []
    for subject in sorted(group.subjects, key=lambda s: (-found.probability_best.get(s, 0), s)):
        score = ratio(found.scores[subject]) if subject in found.scores else None
        rows.append({"subject": context.subject(subject), "score": score,
                     "probability": percent(found.probability_best.get(subject)),
                     "absent": gone.get(subject), "cells": [cells.get((t.metric, subject)) for t in tasks]})
    return {"tasks": [{**t.model_dump(), "anchor": t.metric.replace("_", "-")} for t in tasks], "rows": rows}
