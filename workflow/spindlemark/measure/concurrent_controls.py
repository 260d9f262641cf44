"""Beside whom an experiment has to be measured, so that the questions it is part of can compare it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from spindlemark.config.questions import OLDER, Question, Questions, meets
from spindlemark.core.record import Experiment, canonical

Factors = dict[str, Any]


def of(experiments: Sequence[Experiment], questions: Mapping[str, Questions]) -> dict[str, list[list[str]]]:
    """Identity -> for each question that compares it the identities that stand for the others, the best suited first.

    A question with a baseline has that one. A main question has its contenders as they are declared, the usual first:
    whatever comes later is measured again with one of them. A question across testbeds has no side by side.
    """
    factors = {e.identity(): _factors(e) for e in experiments}
    everybody = list(factors.values())
    found: dict[str, list[list[str]]] = {identity: [] for identity in factors}
    for family in dict.fromkeys(e.family for e in experiments):
        asked = questions[family].questions.values() if family in questions else []
        own = [e for e in experiments if e.family == family]
        for question in asked:
            for members in _groups(question, own, factors):
                anchors = [i for i in members if _stands(question, factors[i], everybody)]
                for identity in members:
                    others = [anchor for anchor in anchors if anchor != identity]
                    if others and (question.against is None or identity not in anchors):
                        found[identity].append(others)
    return found


def _groups(question: Question, experiments: list[Experiment], factors: Mapping[str, Factors]) -> Iterator[list[str]]:
    """Identities that agree in every factor but the compared ones and what follows from those."""
    if "testbed" in (*question.compare, *question.follows):
        return
    groups: dict[str, list[str]] = defaultdict(list)
    for e in experiments:
        equal = {
            name: value
            for name, value in factors[e.identity()].items()
            if _part_of(name, question.within) or not _part_of(name, [*question.compare, *question.follows])
        }
        groups[canonical(equal)].append(e.identity())
    yield from (members for members in groups.values() if len(members) > 1)


def _stands(question: Question, own: Factors, everybody: list[Factors]) -> bool:
    """Whether an experiment is the baseline, or a contender of a question that has none."""
    wanted = question.among if question.against is None else question.against
    return all(
        meets(own.get(name), value, partial(_usual, name, own["testbed"], everybody))
        for name, value in wanted.items()
        if value != OLDER
    )


def _usual(name: str, testbed: str, everybody: list[Factors]) -> Any:
    values = Counter(factors.get(name) for factors in everybody if factors["testbed"] == testbed)
    return values.most_common(1)[0][0]


def _part_of(name: str, factors: Sequence[str]) -> bool:
    return any(name == factor or name.startswith(f"{factor}.") for factor in factors)


def _factors(experiment: Experiment) -> Factors:
    """Every factor by its dotted name, as the table `factor` of the database has them."""
    return {
        "testbed": experiment.testbed,
        "method": experiment.method,
        **_leaves(experiment.factors, ""),
        **_leaves(experiment.fingerprint, "fingerprint."),
    }


def _leaves(tree: dict[str, Any], prefix: str) -> Factors:
    found: Factors = {}
    for key, value in tree.items():
        found |= _leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return found
