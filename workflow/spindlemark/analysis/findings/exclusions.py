"""Reasons: why a group has no advice whatever its samples say, and who is left out of the advice of another."""

from collections.abc import Mapping, Sequence

from spindlemark.analysis.findings import caveats, text
from spindlemark.analysis.findings.evidence import FEWEST, Evidence
from spindlemark.analysis.findings.model import MetricTable, Task
from spindlemark.config import questions


def beforehand(
    evidence: Evidence,
    family_questions: questions.Questions | None,
    tasks: Sequence[Task],
    tables: Mapping[str, MetricTable],
) -> str:
    """Why there is nothing to choose from, whatever the samples say; "" where there is."""
    group = evidence.group
    if family_questions is None or not tasks:
        return caveats.of_no_weights(group.family, group.library)
    if not evidence.counted:
        return caveats.NOTHING_RANKED
    candidates = [configuration for configuration in group.configurations if configuration.candidate]
    if not candidates:
        return caveats.of_no_candidates(family_questions.questions[group.question].among)
    if len(candidates) == 1 and candidates[0].metrics and not candidates[0].failed:
        alone = candidates[0].name
        medians = [
            (task, cell.median)
            for task in tasks
            if task.metric in tables
            for cell in tables[task.metric].cells
            if cell.configuration == alone
        ]
        return caveats.of_lone(
            alone,
            {
                task.title: text.figure(median, tables[task.metric].unit, candidates[0].metrics[task.metric].kind)
                for task, median in medians
            },
        )
    return ""


def left_out(evidence: Evidence, tables: Mapping[str, MetricTable]) -> list[str]:
    """A sentence for each candidate that cannot be weighed, and for each filesystem that is never recommended."""
    names = [each.task.metric for each in evidence.counted]
    notes = []
    for place, configuration in enumerate(evidence.group.configurations):
        n = {name: len(configuration.metrics[name].values) if name in configuration.metrics else 0 for name in names}
        if configuration.legacy:
            notes.append(caveats.of_legacy(configuration.name, configuration.legacy))
        if place in evidence.able or not configuration.candidate:
            continue
        if configuration.failed:
            failed = sum(entry.repetitions for entry in configuration.absent if entry.status == "failed")
            notes.append(caveats.of_left_out_failed(configuration.name, failed, configuration.absent[0].of))
        elif not configuration.metrics:
            status = configuration.absent[0].status if configuration.absent else "not measured"
            notes.append(caveats.of_left_out_absent(configuration.name, status))
        elif max(n.values()) >= FEWEST and not min(n.values()):
            lacking = next(tables[name].title for name in names if not n[name])
            notes.append(caveats.of_left_out_lacking(configuration.name, lacking))
        else:
            notes.append(caveats.of_left_out_few(configuration.name, min(n.values()), FEWEST))
    return notes
