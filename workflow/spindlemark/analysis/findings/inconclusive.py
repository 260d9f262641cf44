"""Inconclusive questions: which have an answer, and whose further rounds could give one. No statistics here."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Cell, Contrast, Contrasts, Findings, Group, Need, Verdict

Cells = list[tuple[Group, str, Cell]]  # each with its metric


@dataclass(frozen=True)
class Open:
    """A comparison that is not decided, or was disturbed: whole rounds of its configurations are what could decide it."""

    configurations: tuple[str, ...]
    identities: frozenset[str]
    need: Need | None = None


@dataclass(frozen=True)
class Question:
    """One question in one session, with its verdict and what is open in it.

    `disturbed`: how many samples of one of its configurations were, in a task that counts, of the `samples` that it has.
    """

    family: str
    title: str
    testbed: str
    session: str
    verdict: Verdict
    open: tuple[Open, ...]
    whole: Open
    disturbed: int = 0
    samples: int = 0


def questions(findings: Findings) -> list[Question]:
    """Every question that something was weighed for, without those whose answer is known in advance."""
    cells = [
        (group, table.metric, cell) for group in findings.groups for table in group.metrics for cell in table.cells
    ]
    return [*_of_groups(findings.groups), *_of_contrasts(findings.contrasts, cells)]


def counts(found: Iterable[Question]) -> dict[str, Counter[Verdict]]:
    """Testbed -> verdict -> questions."""
    counted: dict[str, Counter[Verdict]] = {}
    for question in found:
        counted.setdefault(question.testbed, Counter())[question.verdict] += 1
    return counted


def _of_groups(groups: Iterable[Group]) -> Iterable[Question]:
    """Only candidates are part of the question; one that is beaten drops out."""
    for group in groups:
        if (advice := group.recommendation) is None:
            continue
        identities = {cell.configuration: cell.identity for table in group.metrics for cell in table.cells}
        metrics = {task.metric for task in advice.tasks if task.counted}
        candidates = _open(group.candidates or group.configurations, identities, None)
        counted = [
            cell
            for table in group.metrics
            if table.metric in metrics
            for cell in table.cells
            if cell.identity in candidates.identities
        ]
        inconclusive = (_open(advice.first, identities, advice.need),) if advice.verdict == "undecided" else ()
        yield Question(
            group.family,
            group.workload_title or group.library,
            group.testbed,
            group.session,
            advice.verdict,
            inconclusive,
            candidates,
            *_disturbed(counted),
        )


def _of_contrasts(contrasts: Iterable[Contrasts], cells: Cells) -> Iterable[Question]:
    for each in contrasts:
        weighted = [row for row in each.rows if row.metric is None]
        if not weighted or question_list.is_control(each.family, each.question):
            continue
        names = [each.baseline, *(row.configuration for row in weighted)]
        whole = _open(names, each.identities, None)
        metrics = {row.metric for row in each.rows if row.metric and row.primary}
        counted = [
            cell
            for group, metric, cell in cells
            if metric in metrics and group.session == each.session and cell.identity in whole.identities
        ]
        inconclusive = tuple(
            _open([each.baseline, row.configuration], each.identities, row.need)
            for row in weighted
            if row.verdict == "undecided"
        )
        title = " ".join(filter(None, [each.title, each.workload_title, each.same_title]))
        yield Question(
            each.family,
            title,
            each.testbed,
            each.session,
            _verdict(weighted),
            tuple(one for one in inconclusive if len(one.identities) > 1),
            whole,
            *_disturbed(counted),
        )


def _verdict(weighted: Collection[Contrast]) -> Verdict:
    """A question with a baseline is decided when each of its configurations is."""
    verdicts = {row.verdict for row in weighted}
    return next(verdict for verdict in ("undecided", "better", "slightly_better", "equivalent") if verdict in verdicts)


def _open(names: Iterable[str], identities: Mapping[str, str], need: Need | None) -> Open:
    known = tuple(name for name in names if name in identities)
    return Open(known, frozenset(identities[name] for name in known), need)


def _disturbed(cells: list[Cell]) -> tuple[int, int]:
    """Of the cell that was disturbed most: how many samples were, and how many it has."""
    return max(((sum(cell.noisy), cell.n) for cell in cells), default=(0, 0))
