"""What tuning gains over the default, and what the findings observe beside the ranked tasks."""

from typing import Any

from spindlemark.findings.report import Gain, Group
from spindlemark.publish import configuration, evidence
from spindlemark.publish.context import Context
from spindlemark.publish.numbers import ratio

Page = dict[str, Any]
TOPICS = {"inodes": "Inodes created and needed", "reserved": "Reserved space", "format": "Making the filesystem"}
MOST_STATEMENTS = 4


def gains(group: Group, context: Context) -> Page | None:
    """Configuration by metric: how many times better than the default of its filesystem; None without any.

    The first column is the weighted cost of all tasks, where the group has weights.
    """
    if not group.gains:
        return None
    columns = list(dict.fromkeys((g.metric, g.title) for g in sorted(group.gains, key=lambda g: g.metric is not None)))
    found: dict[str, dict[str | None, Gain]] = {}
    for g in group.gains:
        found.setdefault(g.subject, {})[g.metric] = g
    rows = {subject: {"subject": context.subject(subject), "baseline": next(iter(own.values())).baseline,
                      "cells": [_cell(own.get(metric)) for metric, _ in columns]} for subject, own in found.items()}
    told = sorted((g for g in group.gains if g.supported), key=lambda g: (g.metric is not None, -g.ratio))
    return {"columns": [{"title": title, "anchor": evidence.anchor(metric) if metric else None}
                        for metric, title in columns],
            **_shown(rows), "supported": len(told), "count": len(group.gains),
            "statements": [g.statement for g in told if g.metric is None or g.ratio > 1][:MOST_STATEMENTS]}


def _shown(rows: dict[str, Page]) -> Page:
    """Few rows by filesystem; of many those with a supported difference, and all of them in a fold."""
    told = {s: row for s, row in rows.items() if any(c and c["side"] != "level" for c in row["cells"])}
    if len(rows) <= configuration.MANY:
        return {"rows": len(rows), "blocks": evidence.blocks(rows), "all": []}
    return {"rows": len(rows), "blocks": evidence.blocks(told), "all": evidence.blocks(rows)}


def _cell(gain: Gain | None) -> Page | None:
    if gain is None:
        return None
    side = ("better" if gain.ratio > 1 else "worse") if gain.supported else "level"
    return {"ratio": ratio(gain.ratio), "interval": evidence.span(gain.low, gain.high), "side": side,
            "p": evidence.probability(gain.p), "statement": gain.statement}


def observations(group: Group, context: Context) -> list[Page]:
    """Statements by topic, those on defaults first."""
    found: dict[str, list[Page]] = {}
    for o in sorted(group.observations, key=lambda o: not configuration.is_default(o.subject)):
        found.setdefault(o.topic, []).append({"subject": context.subject(o.subject), "statement": o.statement})
    return [{"title": TOPICS.get(topic, topic.capitalize()), "rows": rows} for topic, rows in found.items()]
