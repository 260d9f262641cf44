"""Verdicts: the primary comparisons of one group, judged together, and what would decide those that are open."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from spindlemark.analysis.findings.comparisons import (
    BETTER,
    EQUIVALENT,
    INCONCLUSIVE,
    Judged,
    Pairs,
    alphas,
    compared,
    judge,
    quantile,
)
from spindlemark.analysis.findings.evidence import FEWEST, WEIGHTED, Evidence
from spindlemark.analysis.findings.model import Need

MOST_ROUNDS = 200
HALF = 0.6745  # standard errors, within which half of all estimates of no difference are
Places = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Verdicts:
    """Comparisons of one metric, or of the weighted cost: pairs of configurations' places, and what is known of each."""

    places: list[tuple[int, int]]
    pairs: Pairs
    judged: Judged
    thresholds: np.ndarray

    def beaten(self, size: int) -> np.ndarray:
        """beaten[a, b]: a is worse than b."""
        square = np.zeros((size, size), bool)
        for (first, second), verdict, difference in zip(
            self.places, self.judged.verdict, self.judged.difference, strict=True
        ):
            if verdict == BETTER:
                square[(first, second) if difference > 0 else (second, first)] = True
        return square

    def of(self, one: int, other: int) -> int | None:
        """Number of the comparison of two configurations; None where they are not compared."""
        return next((at for at, pair in enumerate(self.places) if set(pair) == {one, other}), None)


def primary(evidence: Evidence, places: Mapping[str, Places], confidence: float) -> dict[str, Verdicts]:
    """The verdicts of the `places` per metric (WEIGHTED among them), adjusted together, look by look.

    Half of the error that is allowed is for the weighted tasks, which the choice hangs on, half for the tasks one by one.
    """
    whole, names = 1 - confidence, [name for name in places if places[name]]
    if not names:
        return {}
    thresholds = {each.task.metric: each.threshold for each in evidence.counted} | {
        WEIGHTED: evidence.threshold if evidence.counted else 0.0
    }
    every = np.concatenate([np.full(len(places[name]), thresholds[name]) for name in names])
    looks = [
        _joined([_pairs(evidence, name, places[name], look) for name in names]) for look in range(1, evidence.looks + 1)
    ]
    judged = judge(looks, every, alphas(confidence, len(looks)), whole, _shares(names, places))
    return _parted(names, places, looks[-1], judged, every)


def alone(evidence: Evidence, name: str, places: Places, threshold: float, confidence: float) -> Verdicts:
    """The comparisons of one metric that no question asks for, adjusted for each other and for nothing else."""
    pairs = _pairs(evidence, name, places, evidence.looks)
    bounds = np.full(len(places), threshold)
    return Verdicts(list(places), pairs, judge([pairs], bounds, [1 - confidence], 1 - confidence), bounds)


def need(
    found: Verdicts, at: int, seconds: float, looks: int, confidence: float, capped: Set[int] = frozenset()
) -> Need | None:
    """What would decide comparison `at`, if spread and difference are what they seem: None where it is decided.

    `seconds`: that a round of the candidates takes; `looks` were made so far; rounds show nothing about two that are `capped`. Where
    nothing is known yet, as of two that share no round, it is what gives a spread.
    """
    if found.judged.verdict[at] != INCONCLUSIVE:
        return None
    if set(found.places[at]) <= capped:
        return Need(rounds=None, seconds=None)
    variance, n, size = found.pairs.variance[at], found.pairs.n[at], abs(found.pairs.difference[at])
    if not n or np.isnan(variance):
        return Need(rounds=FEWEST, seconds=round(FEWEST * seconds, 1))
    spent = alphas(confidence, looks + 1)
    t = quantile(found.judged.level[at] / spent[looks - 1] * spent[looks] / 2, found.pairs.freedom[at] + n)
    within = max(0.0, found.thresholds[at] - size)
    # A difference, or equivalence, whichever is sooner.
    sharpest = max(size / t, within / (t + HALF))
    wanted = float(variance * n / sharpest**2) if sharpest > 0 else np.inf
    rounds = max(1, int(np.ceil(min(wanted, 1e6))) - int(n))
    few = rounds <= MOST_ROUNDS
    return Need(rounds=rounds if few else None, seconds=round(rounds * seconds, 1) if few else None)


def most(needs: Sequence[Need | None]) -> Need | None:
    """What decides all of them."""
    open_ = [each for each in needs if each]
    if not open_ or any(each.rounds is None for each in open_):
        return (open_ and Need(rounds=None, seconds=None)) or None
    return max(open_, key=lambda each: each.rounds or 0)


def leader(found: Verdicts, order: Sequence[int], first: Sequence[int]) -> tuple[str, int]:
    """The verdict on a choice, and what represents it: of the `first`, beaten by none, one that equals all the others.

    `order`: everybody, the best first.
    """
    front = [place for place in order if place in first]
    if len(front) == 1:
        return "better", front[0]
    for place in front:
        if all(
            (at := found.of(place, other)) is not None and found.judged.verdict[at] == EQUIVALENT
            for other in front
            if other != place
        ):
            return "equivalent", place
    return "undecided", front[0]


def _shares(names: Sequence[str], places: Mapping[str, Places]) -> np.ndarray:
    """Relative shares: all comparisons over the weighted tasks have as much as all those of single tasks."""
    single = sum(len(places[name]) for name in names if name != WEIGHTED)
    return np.concatenate(
        [np.full(len(places[name]), 1 / (len(places[name]) if name == WEIGHTED else single)) for name in names]
    )


def _pairs(evidence: Evidence, name: str, places: Places, look: int) -> Pairs:
    first, second = (np.array(side, dtype=int) for side in zip(*places, strict=True))
    if name == WEIGHTED:
        rows = {place: row for row, place in enumerate(evidence.able)}
        first, second = (np.array([rows[place] for place in side]) for side in (first, second))
    return compared(evidence.matrices[name].before(look), evidence.spreads[look - 1][name], first, second)


def _joined(parts: Sequence[Pairs]) -> Pairs:
    return Pairs(*(np.concatenate(field) for field in zip(*parts, strict=True)))


def _parted(
    names: Sequence[str], places: Mapping[str, Places], pairs: Pairs, judged: Judged, thresholds: np.ndarray
) -> dict[str, Verdicts]:
    ends = np.cumsum([len(places[name]) for name in names])
    found, start = {}, 0
    for name, end in zip(names, ends, strict=True):
        part = slice(start, int(end))
        found[name] = Verdicts(
            list(places[name]), Pairs(*(x[part] for x in pairs)), Judged(*(x[part] for x in judged)), thresholds[part]
        )
        start = int(end)
    return found


def seconds(evidence: Evidence, places: Sequence[int] | None = None) -> float:
    """What a round of these configurations takes; without `places`, of all candidates."""
    configurations = evidence.group.configurations
    chosen = (
        [s for s in configurations if s.candidate] if places is None else [configurations[place] for place in places]
    )
    return sum(configuration.seconds for configuration in chosen)
