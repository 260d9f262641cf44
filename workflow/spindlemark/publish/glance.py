"""All advice in one table: setting by library, over all weighted tasks."""

from typing import Any

from spindlemark.findings.report import Findings, Group
from spindlemark.publish.library import Context
from spindlemark.publish.numbers import percent, ratio

Page = dict[str, Any]


def table(findings: Findings, context: Context) -> Page:
    """Columns are the groups that have advice; a cell has score and probability, or why there is none."""
    groups = [g for g in findings.groups if g.recommendation]
    subjects = sorted({s for g in groups for s in [*g.subjects, *(a.subject for a in g.absent)]})
    return {"columns": [{"title": context.title(g), "path": context.libraries[g.group]} for g in groups],
            "rows": [{"subject": context.subject(s), "cells": [_cell(g, s) for g in groups]} for s in subjects]}


def _cell(group: Group, subject: str) -> Page:
    found = group.recommendation
    if subject in found.scores:
        return {"score": ratio(found.scores[subject]), "probability": percent(found.probability_best.get(subject))}
    return {"status": next((a.status for a in group.absent if a.subject == subject), None)}
