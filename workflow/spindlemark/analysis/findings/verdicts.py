"""Verdicts: the primary comparisons of one group, judged together, and what would decide those that are open."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.comparisons import (
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    NAMES,
    Judged,
    Pairs,
    compared,
    judge,
    level_of_baseline,
    level_of_best,
    quantile,
)
from spindlemark.analysis.findings.evidence import FEWEST, Evidence
from spindlemark.analysis.findings.model import Need, Verdict

MOST_ROUNDS = 200
POWER = 0.8416  # standard errors: the rounds that are said to decide do so in 80 % of cases (normal quantile)
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
            if verdict in DIFFERENT:
                square[(first, second) if difference > 0 else (second, first)] = True
        return square

    def of(self, one: int, other: int) -> int | None:
        """Number of the comparison of two configurations; None where they are not compared."""
        return next((at for at, pair in enumerate(self.places) if set(pair) == {one, other}), None)


def primary(evidence: Evidence, places: Mapping[str, Places], confidence: float) -> dict[str, Verdicts]:
    """The verdicts of the `places` per metric (WEIGHTED among them).

    The choice hangs on the weighted tasks; each task alone is evidence, and adjusted for its own comparisons.
    """
    margins = {each.task.metric: each.threshold for each in evidence.counted} | {
        WEIGHTED: evidence.threshold if evidence.counted else 0.0
    }
    return {name: alone(evidence, name, own, margins[name], confidence) for name, own in places.items() if own}


def alone(evidence: Evidence, name: str, places: Places, margin: float, confidence: float) -> Verdicts:
    """The comparisons of one metric, adjusted for each other and for nothing else; `margin` is a logarithm."""
    pairs, bounds = _pairs(evidence, name, places), np.full(len(places), margin)
    against = len({first for first, _ in places}) == 1 and evidence.group.baseline is not None
    members = {place for pair in places for place in pair}
    level = level_of_baseline(confidence, len(places)) if against else level_of_best(confidence, len(members))
    return Verdicts(list(places), pairs, judge(pairs, bounds, level, 1 - confidence), bounds)


def need(found: Verdicts, at: int, seconds: float, capped: Set[int] = frozenset()) -> Need | None:
    """What would decide comparison `at` in 80 % of cases, if spread and difference are what they seem.

    None where it is decided. `seconds`: that a round of the candidates takes; rounds show nothing about two that are
    `capped`. Where nothing is known yet, as of two that share no round, it is what gives a spread.
    """
    if found.judged.verdict[at] != INCONCLUSIVE:
        return None
    if set(found.places[at]) <= capped:
        return Need(rounds=None, seconds=None)
    variance, n, size = found.pairs.variance[at], found.pairs.n[at], abs(found.pairs.difference[at])
    if not n or np.isnan(variance):
        return Need(rounds=FEWEST, seconds=round(FEWEST * seconds, 1))
    t = quantile(found.judged.level[at] / 2, found.pairs.freedom[at] + n) + POWER
    # A difference, or equivalence, whichever is sooner.
    sharpest = max(size, found.thresholds[at] - size) / t
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


def leader(found: Verdicts, order: Sequence[int], first: Sequence[int]) -> tuple[Verdict, int]:
    """The verdict on a choice, and what represents it: of the `first`, beaten by none, one that equals all the others.

    `order`: everybody, the best first.
    """
    front = [place for place in order if place in first]
    if len(front) == 1:
        return _of_one(found, front[0], order), front[0]
    for place in front:
        if all(
            (at := found.of(place, other)) is not None and found.judged.verdict[at] == EQUIVALENT
            for other in front
            if other != place
        ):
            return "equivalent", place
    return "undecided", front[0]


def _of_one(found: Verdicts, best: int, order: Sequence[int]) -> Verdict:
    """How sure the lead of a configuration without equals is: as the comparison with the nearest of the others says."""
    nearest = [found.judged.verdict[at] for other in order if (at := found.of(best, other)) is not None]
    return next((NAMES[verdict] for verdict in nearest if verdict in DIFFERENT), "better")


def _pairs(evidence: Evidence, name: str, places: Places) -> Pairs:
    first, second = (np.array(side, dtype=int) for side in zip(*places, strict=True))
    if name == WEIGHTED:
        rows = {place: row for row, place in enumerate(evidence.able)}
        first, second = (np.array([rows[place] for place in side]) for side in (first, second))
    return compared(evidence.matrices[name], evidence.spreads[name], first, second, evidence.between.get(name))


def seconds(evidence: Evidence, places: Sequence[int] | None = None) -> float:
    """What a round of these configurations takes; without `places`, of all candidates."""
    configurations = evidence.group.configurations
    chosen = (
        [s for s in configurations if s.candidate] if places is None else [configurations[place] for place in places]
    )
    return sum(configuration.seconds for configuration in chosen)
