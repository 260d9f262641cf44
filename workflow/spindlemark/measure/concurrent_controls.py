"""Concurrent controls: experiments that another one must be measured next to, so that its questions can compare it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from spindlemark.config.questions import OLDER, Question, Questions, meets
from spindlemark.core.record import Experiment, canonical

Factors = dict[str, Any]


def of(experiments: Sequence[Experiment], questions: Mapping[str, Questions]) -> dict[str, list[list[str]]]:
    """Return for each identity, and each question that compares it, the identities of its possible controls, best first.

    The control of a question with a baseline is the baseline. The controls of a main question are its candidates in
    their declared order: an experiment that is added later is measured next to one of them. A question that compares
    testbeds has no controls.
    """
    factors = {e.identity(): _factors(e) for e in experiments}
    known = list(factors.values())
    found: dict[str, list[list[str]]] = {identity: [] for identity in factors}
    for family in dict.fromkeys(e.family for e in experiments):
        declared = questions[family].questions.values() if family in questions else []
        own = [e for e in experiments if e.family == family]
        for question in declared:
            for members in _groups(question, own, factors):
                controls = [i for i in members if _is_control(question, factors[i], known)]
                for identity in members:
                    others = [control for control in controls if control != identity]
                    if others and (question.against is None or identity not in controls):
                        found[identity].append(others)
    return found


def _groups(question: Question, experiments: list[Experiment], factors: Mapping[str, Factors]) -> Iterator[list[str]]:
    """Yield groups of identities that differ only in the compared factors and those derived from them."""
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


def _is_control(question: Question, own: Factors, known: list[Factors]) -> bool:
    """Whether an experiment is the baseline, or a candidate of a question without a baseline."""
    wanted = question.among if question.against is None else question.against
    return all(
        meets(own.get(name), value, partial(_usual, name, own["testbed"], known))
        for name, value in wanted.items()
        if value != OLDER
    )


def _usual(name: str, testbed: str, known: list[Factors]) -> Any:
    values = Counter(factors.get(name) for factors in known if factors["testbed"] == testbed)
    return values.most_common(1)[0][0]


def _part_of(name: str, factors: Sequence[str]) -> bool:
    return any(name == factor or name.startswith(f"{factor}.") for factor in factors)


def _factors(experiment: Experiment) -> Factors:
    """All factors by their dotted names, as in the table `factor` of the database."""
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
