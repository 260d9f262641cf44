"""Concurrent controls: experiments that another one must be measured next to, so that its questions can compare it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from spindlemark.config.questions import OLDER, Question, Questions, meets
from spindlemark.core.record import Experiment, canonical

Factors = dict[str, Any]


def of(experiments: Mapping[str, Experiment], questions: Mapping[str, Questions]) -> dict[str, list[list[str]]]:
    """Return for each identity of `experiments`, and each question that compares it, the identities of its possible controls, best first.

    The control of a question with a baseline is the baseline. The controls of a main question are its candidates in
    their declared order: an experiment that is added later is measured next to one of them. A question that compares
    testbeds has no controls.
    """
    factors = {identity: _factors(e) for identity, e in experiments.items()}
    usual = cache(partial(_usual, list(factors.values())))
    found: dict[str, list[list[str]]] = {identity: [] for identity in factors}
    for family in dict.fromkeys(e.family for e in experiments.values()):
        declared = questions[family].questions.values() if family in questions else []
        own = {identity: factors[identity] for identity, e in experiments.items() if e.family == family}
        for question in declared:
            for members in _groups(question, own):
                controls = [i for i in members if _is_control(question, factors[i], usual)]
                for identity in members:
                    others = [control for control in controls if control != identity]
                    if others and (question.against is None or identity not in controls):
                        found[identity].append(others)
    return found


def _groups(question: Question, factors: Mapping[str, Factors]) -> Iterator[list[str]]:
    """Yield groups of identities that differ only in the compared factors and those derived from them."""
    if "testbed" in (*question.compare, *question.follows):
        return
    groups: dict[Hashable, list[str]] = defaultdict(list)
    equal = cache(partial(_equal_names, question))
    for identity, own in factors.items():
        names = equal(tuple(own))
        groups[names, tuple(_hashable(own[name]) for name in names)].append(identity)
    yield from (members for members in groups.values() if len(members) > 1)


def _equal_names(question: Question, names: tuple[str, ...]) -> tuple[str, ...]:
    """The factors in which the experiments of a group are equal, sorted."""
    varied = [*question.compare, *question.follows]
    return tuple(sorted(n for n in names if _part_of(n, question.within) or not _part_of(n, varied)))


def _hashable(value: Any) -> Hashable:
    """A value that compares as the identity does: 1 and 1.0 are one value, and true is none of them."""
    return canonical(value) if isinstance(value, (bool, list)) else value


def _is_control(question: Question, own: Factors, usual: Callable[[str, str], Any]) -> bool:
    """Whether an experiment is the baseline, or a candidate of a question without a baseline."""
    wanted = question.among if question.against is None else question.against
    return all(
        meets(own.get(name), value, partial(usual, name, own["testbed"]))
        for name, value in wanted.items()
        if value != OLDER
    )


def _usual(known: list[Factors], name: str, testbed: str) -> Any:
    """The most frequent value of a factor on a testbed."""
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
