"""Deciding: of all that is undecided, what further rounds are spent on. It never says when something is decided."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from spindlemark.analysis.findings.inconclusive import Open, Question, counts, in_words
from spindlemark.analysis.findings.model import Need
from spindlemark.analysis.findings.question_list import title as title_of
from spindlemark.cli.progress import duration
from spindlemark.core.limits import cut

MOST_NAMED = 3  # questions that the screen names


@dataclass(frozen=True)
class Known:
    """What is known of an experiment that may be measured again: its repetitions and how long one lasts."""

    declared: int
    have: int
    seconds: float
    most: int


@dataclass
class Spending:
    """What the next rounds are spent on: identity -> rounds. `needed` counts also those that come after another look."""

    rounds: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    on: list[str] = field(default_factory=list)
    too_long: list[float] = field(default_factory=list)
    out_of_reach: int = 0
    needed: dict[str, int] = field(default_factory=dict)

    def words(self) -> list[str]:
        """What is decided next, and what is not, for the screen."""
        lines = []
        if self.on:
            more = [f"and {len(self.on) - MOST_NAMED} more"] if len(self.on) > MOST_NAMED else []
            lines.append(
                f"The next {duration(self.seconds)} are spent on: {'; '.join([*self.on[:MOST_NAMED], *more])}."
            )
        if self.too_long:
            lines.append(
                f"Not within the budget: {len(self.too_long)} undecided, the first of them after about "
                f"{duration(min(self.too_long))} more."
            )
        if self.out_of_reach:
            lines.append(
                f"Out of reach: {self.out_of_reach} undecided, which take more rounds than the profile allows."
            )
        return lines


def told(found: Iterable[Question]) -> list[str]:
    """How many questions have an answer, a line per testbed."""
    return [f"Testbed {testbed}: {in_words(counted)}." for testbed, counted in counts(found).items()]


def spend(found: Iterable[Question], known: Mapping[str, Known], seconds: float) -> Spending:
    """Choose the next rounds: what is decided soonest first, then whole rounds for what was disturbed.

    A round of a subject counts for all its questions. Each look at the verdicts costs some of the error that is allowed, so
    about as many rounds are asked for as would decide, at most as many as there are already. What would not be decided in
    `seconds` is left out, and so is a question with a subject that is not in `known` or must not be measured more often.
    """
    spending = Spending()
    questions = [question for question in found if question.whole.identities]
    undecided = [(question, one) for question in questions for one in question.open if one.identities <= known.keys()]
    for question, one in sorted(undecided, key=lambda pair: _seconds(pair[1].need)):
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
    """Seconds of the rounds that are not measured for another question anyway."""
    return sum(max(0, need - needed.get(identity, 0)) * known[identity].seconds for identity in one.identities)


def _add(spending: Spending, question: Question, one: Open, need: int, rounds: int, known: Mapping[str, Known]) -> None:
    for identity in one.identities:
        before = spending.rounds.get(identity, 0)
        spending.rounds[identity] = max(before, rounds)
        spending.seconds += (spending.rounds[identity] - before) * known[identity].seconds
        spending.needed[identity] = max(spending.needed.get(identity, 0), need)
    asked = ": ".join(filter(None, [title_of(question.family), question.title]))
    spending.on.append(cut(f"{rounds} x {', '.join(one.subjects)} ({asked}, on {question.testbed})"))


def _lost(question: Question, known: Mapping[str, Known]) -> int:
    """Rounds that make up for disturbed ones: as many as were disturbed, once, further ones that there are counted."""
    declared = max(known[identity].declared for identity in question.whole.identities)
    most = min(known[identity].most - known[identity].have for identity in question.whole.identities)
    return max(0, min(question.disturbed, declared, most) - max(0, question.samples - declared))
