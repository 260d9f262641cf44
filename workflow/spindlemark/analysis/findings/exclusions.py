"""Reasons: why a group has no advice whatever its samples say, and who is left out of the advice of another."""

from collections.abc import Mapping, Sequence

from spindlemark.analysis.findings import caveats, text
from spindlemark.analysis.findings.evidence import FEWEST, Evidence
from spindlemark.analysis.findings.model import MetricTable, Task
from spindlemark.config import questions


def beforehand(
    evidence: Evidence, asked: questions.Questions | None, tasks: Sequence[Task], tables: Mapping[str, MetricTable]
) -> str:
    """Why there is nothing to choose from, whatever the samples say; "" where there is."""
    group = evidence.group
    if asked is None or not tasks:
        return caveats.of_no_weights(group.family, group.library)
    if not evidence.counted:
        return caveats.NOTHING_RANKED
    contenders = [subject for subject in group.subjects if subject.contender]
    if not contenders:
        return caveats.of_no_contenders(asked.questions[group.question].among)
    if len(contenders) == 1 and contenders[0].metrics and not contenders[0].failed:
        alone = contenders[0].subject
        medians = [
            (task, cell.median)
            for task in tasks
            if task.metric in tables
            for cell in tables[task.metric].cells
            if cell.subject == alone
        ]
        return caveats.of_lone(
            alone,
            {
                task.title: text.figure(median, tables[task.metric].unit, contenders[0].metrics[task.metric].kind)
                for task, median in medians
            },
        )
    return ""


def left_out(evidence: Evidence, tables: Mapping[str, MetricTable]) -> list[str]:
    """A sentence for each candidate that cannot be weighed."""
    names = [each.task.metric for each in evidence.counted]
    notes = []
    for place, subject in enumerate(evidence.group.subjects):
        n = {name: len(subject.metrics[name].values) if name in subject.metrics else 0 for name in names}
        if place in evidence.able or not subject.contender:
            continue
        if subject.failed:
            failed = sum(entry.repetitions for entry in subject.absent if entry.status == "failed")
            notes.append(caveats.of_left_out_failed(subject.subject, failed, subject.absent[0].of))
        elif not subject.metrics:
            status = subject.absent[0].status if subject.absent else "not measured"
            notes.append(caveats.of_left_out_absent(subject.subject, status))
        elif max(n.values()) >= FEWEST and not min(n.values()):
            lacking = next(tables[name].title for name in names if not n[name])
            notes.append(caveats.of_left_out_lacking(subject.subject, lacking))
        else:
            notes.append(caveats.of_left_out_few(subject.subject, min(n.values()), FEWEST))
    return notes
