"""Answers as files at stable addresses next to their pages: data as JSON and CSV, and a badge."""

import csv
import io
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Findings, Group, MetricTable
from spindlemark.site import evidence, page_parts
from spindlemark.site.context import Context
from spindlemark.site.verdict_labels import find

FORMAT = 1
JSON, CSV, BADGE = "index.json", "index.csv", "badge.json"
COLOURS = {"better": "brightgreen", "slightly_better": "green", "equivalent": "blue", "undecided": "lightgrey"}
MOST_NAMED = 3  # on a badge
Page = dict[str, Any]


def of_group(group: Group, findings: Findings, context: Context, about: Page) -> dict[str, str]:
    """The files of a group's page: name -> text. `about`: `version`, `site` (or None) and `licence` of the data."""
    page = _page(group, findings, context, about)
    badge = _badge(group, context)
    return {
        JSON: page_parts.checked("answer", page),
        CSV: _csv(page),
        **({BADGE: page_parts.checked("badge", badge)} if badge else {}),
    }


def _page(group: Group, findings: Findings, context: Context, about: Page) -> Page:
    found = group.recommendation
    path = context.groups[group.group]
    return {
        "format": FORMAT,
        "version": about["version"],
        "address": f"{about['site']}{about['version']}/{path}" if about["site"] else path,
        "licence": about["licence"],
        "question": question_list.title(group.family),
        "family": group.family,
        "title": context.title(group),
        "workload": group.library,
        "testbed": group.testbed,
        "sessions": group.sessions or [group.session] * bool(group.session),
        "verdict": found.verdict if found else None,
        "answer": found.statements[0] if found and found.statements else group.reason,
        "first": found.first if found else [],
        "confidence": findings.confidence,
        "candidates": _candidates(group),
        "tasks": [
            {"metric": t.metric, "title": t.title, "weight": float(t.weight), "counted": t.counted}
            for t in (found.tasks if found else [])
        ],
        "metrics": [_metric(table) for table in group.metrics if table.metric in _tasks(group)],
    }


def _candidates(group: Group) -> list[Page]:
    """Every weighed configuration, best first."""
    found = group.recommendation
    if found is None:
        return []
    ranked = sorted(found.scores, key=lambda name: evidence.place(found, name))
    first = found.options[0].configuration if found.options else ranked[0]
    rows = []
    for name in sorted(ranked, key=lambda name: name != first):
        pair = None if found.lossless else find(found.pairs, first, name)
        value, low, high = pair.against(first) if pair else (1.0 if name == first else None, None, None)
        rows.append(
            {
                "configuration": name,
                "candidate": name in group.candidates or not group.candidates,
                "multiple": value,
                "low": low,
                "high": high,
                "verdict": pair.verdict if pair else None,
            }
        )
    return rows


def _tasks(group: Group) -> list[str]:
    """The metrics that the answer rests on; without an answer all that are ranked."""
    found = group.recommendation
    return [task.metric for task in found.tasks] if found else [t.metric for t in group.metrics if t.ranked]


def _metric(table: MetricTable) -> Page:
    return {
        "metric": table.metric,
        "title": table.title,
        "unit": table.unit,
        "better": table.better,
        "values": [
            {
                "configuration": c.configuration,
                "n": c.n,
                "median": float(c.median),
                "low": c.low,
                "high": c.high,
                "ratio": c.ratio,
            }
            for c in table.cells
        ],
    }


def _csv(page: Page) -> str:
    """One row per configuration and metric, with the multiple over all weighted tasks first."""
    rows = [("metric", "unit", "configuration", "n", "value", "low", "high", "verdict")]
    rows += [
        ("multiple_of_the_first", "1", c["configuration"], "", c["multiple"], c["low"], c["high"], c["verdict"])
        for c in page["candidates"]
    ]
    rows += [
        (m["metric"], m["unit"], v["configuration"], v["n"], v["median"], v["low"], v["high"], "")
        for m in page["metrics"]
        for v in m["values"]
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["" if cell is None else cell for cell in row] for row in rows])
    return text.getvalue()


def _badge(group: Group, context: Context) -> Page | None:
    """What shields.io shows; None without a verdict."""
    found = group.recommendation
    if found is None:
        return None
    names = found.first or [option.configuration for option in found.options[:1]]
    tie = found.verdict == "equivalent" and len(names) > 1
    message = "inconclusive" if found.verdict == "undecided" else " = ".join(names[:MOST_NAMED]) if tie else names[0]
    return {
        "schemaVersion": 1,
        "label": context.workload(group) or question_list.title(group.family),
        "message": message,
        "color": COLOURS[found.verdict],
    }
