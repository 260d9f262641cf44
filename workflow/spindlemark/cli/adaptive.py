"""Adaptive sampling: choose the inconclusive questions that further rounds are spent on. Verdicts come from the findings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from spindlemark.analysis.findings.inconclusive import Open, Question, counts
from spindlemark.analysis.findings.model import Need
from spindlemark.analysis.findings.question_list import title as title_of
from spindlemark.cli.progress import duration
from spindlemark.core.one_line import cut

MOST_NAMED = 3  # questions that the screen names
PLANNED_ANALYSES = 4  # of a session: what the error rate of verdicts is declared for (analysis/findings/comparisons.py)


@dataclass(frozen=True)
class Known:
    """An experiment that may be measured again: its repetitions, and the seconds that one lasts."""

    declared: int
    have: int
    seconds: float
    most: int


@dataclass
class Spending:
    """The next rounds: identity -> rounds. `needed` also counts rounds that follow a later interim analysis."""

    rounds: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    on: list[str] = field(default_factory=list)
    too_long: list[float] = field(default_factory=list)
    out_of_reach: int = 0
    needed: dict[str, int] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The messages for the screen: which questions get the next rounds, and how many cannot be decided."""
        lines = []
        if self.on:
            more = [f"and {len(self.on) - MOST_NAMED} more"] if len(self.on) > MOST_NAMED else []
            lines.append(
                f"The next {duration(self.seconds)} are spent on: {'; '.join([*self.on[:MOST_NAMED], *more])}."
            )
        if self.too_long:
            lines.append(
                f"Inconclusive, not within the budget: {len(self.too_long)}; the first of them needs about "
                f"{duration(min(self.too_long))} more."
            )
        if self.out_of_reach:
            lines.append(f"Inconclusive within the rounds that the profile allows: {self.out_of_reach}.")
        return lines


def verdict_counts(found: Iterable[Question]) -> list[str]:
    """One line per testbed with the number of questions for each verdict."""
    return [
        f"Testbed {testbed}: {counted['better']} better, {counted['slightly_better']} slightly better, "
        f"{counted['equivalent']} equivalent, {counted['undecided']} inconclusive."
        for testbed, counted in counts(found).items()
    ]


def spend(found: Iterable[Question], known: Mapping[str, Known], seconds: float) -> Spending:
    """Choose the next rounds: first for the questions that are decided soonest, then whole rounds for disturbed ones.

    A round of a configuration counts for all its questions. Few interim analyses are planned, so about as many rounds are
    requested as would decide, at most as many as exist already. Left out are questions that `seconds`
    would not decide, and those with a configuration that is not in `known` or must not be measured more often.
    """
    spending = Spending()
    questions = [question for question in found if question.whole.identities]
    inconclusive = [
        (question, one) for question in questions for one in question.open if one.identities <= known.keys()
    ]
    for question, one in sorted(inconclusive, key=lambda pair: _seconds(pair[1].need)):
        need = one.need.rounds if one.need else None
        have = min(known[identity].have for identity in one.identities)
        if need is None or not have or have + need > min(known[identity].most for identity in one.identities):
            spending.out_of_reach += 1
        elif (cost := _cost(one, need, spending.needed, known)) > seconds:
            spending.too_long.append(cost)
        else:
            seconds -= cost
            _add(spending, question, one, need, min(max(need, 1), have), known)
    for question in questions:
        if question.whole.identities <= known.keys() and (lost := _lost(question, known)):
            cost = _cost(question.whole, lost, spending.needed, known)
            if cost and cost <= seconds:
                seconds -= cost
                _add(spending, question, question.whole, lost, lost, known)
    return spending


def _seconds(need: Need | None) -> float:
    return need.seconds if need and need.seconds is not None else float("inf")


def _cost(one: Open, need: int, needed: Mapping[str, int], known: Mapping[str, Known]) -> float:
    """Seconds of those rounds that no other question needs anyway."""
    return sum(max(0, need - needed.get(identity, 0)) * known[identity].seconds for identity in one.identities)


def _add(spending: Spending, question: Question, one: Open, need: int, rounds: int, known: Mapping[str, Known]) -> None:
    for identity in one.identities:
        before = spending.rounds.get(identity, 0)
        spending.rounds[identity] = max(before, rounds)
        spending.seconds += (spending.rounds[identity] - before) * known[identity].seconds
        spending.needed[identity] = max(spending.needed.get(identity, 0), need)
    title = ": ".join(filter(None, [title_of(question.family), question.title]))
    spending.on.append(cut(f"{rounds} x {', '.join(one.configurations)} ({title}, on {question.testbed})"))


def _lost(question: Question, known: Mapping[str, Known]) -> int:
    """Rounds that replace disturbed ones: as many as were disturbed, less those that were already added."""
    declared = max(known[identity].declared for identity in question.whole.identities)
    most = min(known[identity].most - known[identity].have for identity in question.whole.identities)
    return max(0, min(question.disturbed, declared, most) - max(0, question.samples - declared))
