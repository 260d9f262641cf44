"""Rounds: the costs of a group's configurations, side by side, so that what was measured together is compared together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np

from spindlemark.analysis.findings.cells import Samples

WEIGHTED = ""  # stands for the weighted tasks where a metric has its name
LEAST_COUNT = 0.5
LEAST_SHARE = 0.01  # nothing kept has no ratio to all kept: it counts as this much, so that losing all is never free
PASSES = 30  # of the fit, where rounds are incomplete
FEWEST_QUIET = 3  # with so many undisturbed rounds the disturbed ones are shown, and not compared


@dataclass(frozen=True)
class Matrix:
    """Costs of one metric, configuration x round, NaN where there is none; `sessions` per round, `floors` per configuration.

    A cost is the natural logarithm of a sample, with a sign such that lower is better. `blocked`: the columns are
    rounds; else each configuration's samples stand for themselves, as those that a study prints. `sessions`: numbers, the
    same for rounds of one session. `inflation`: what the variance of robust costs is multiplied by.
    """

    values: np.ndarray
    sessions: np.ndarray
    floors: np.ndarray
    blocked: bool = True
    names: tuple[str, ...] = ()  # of the sessions, in the order of their numbers
    inflation: float = 1.0

    def of(self, places: Sequence[int]) -> "Matrix":
        """Only the rows of these configurations."""
        return replace(self, values=self.values[list(places)], floors=self.floors[list(places)])

    def by_session(self) -> "list[Matrix]":
        """The rounds of each session that has any, oldest first; each has the name of its session, if there are names."""
        return [
            replace(
                self,
                values=self.values[:, self.sessions == each],
                sessions=np.zeros(int((self.sessions == each).sum()), int),
                names=self.names[each : each + 1],
            )
            for each in np.unique(self.sessions).tolist()
        ]

    @cached_property
    def counts(self) -> np.ndarray:
        """Samples per configuration."""
        return (~np.isnan(self.values)).sum(axis=1)

    @cached_property
    def means(self) -> np.ndarray:
        """Mean cost of each configuration; NaN without samples."""
        n = self.counts
        with np.errstate(invalid="ignore"):
            return np.where(n > 0, np.nansum(self.values, axis=1) / np.where(n > 0, n, 1), np.nan)

    @cached_property
    def fitted(self) -> np.ndarray:
        """Means that the residuals of each configuration leave out: one per session, or one where no session repeats any."""
        parts = self.by_session()
        own = np.sum([part.counts > 0 for part in parts], axis=0) if parts else np.zeros(len(self.values), int)
        return own if (self.counts > own).any() else np.minimum(self.counts, 1)

    @cached_property
    def residuals(self) -> np.ndarray:
        """Costs minus the effect of the configuration and, if there are blocks, of the block: a two-way fit per session."""
        if self.fitted.max(initial=0) <= 1:
            return self._residuals()
        left = np.full(self.values.shape, np.nan)
        for each, part in zip(np.unique(self.sessions), self.by_session(), strict=True):
            left[:, self.sessions == each] = part._residuals()
        return left

    def _residuals(self) -> np.ndarray:
        known = ~np.isnan(self.values)
        left, kept = np.where(known, self.values, 0.0), known.astype(float)
        configurations, rounds = (np.maximum(kept.sum(axis=axis), 1) for axis in (1, 0))
        blocked = self.blocked and (self.counts > 1).sum() > 1
        for _ in range(1 if known.all() or not blocked else PASSES):
            left -= (np.add.reduce(left, axis=1) / configurations)[:, None]
            left *= kept
            if blocked:
                left -= np.add.reduce(left, axis=0) / rounds
                left *= kept
        return np.where(known, left, np.nan)

    @property
    def exact(self) -> bool:
        """Whether no configuration's samples differ, each having two or more."""
        known = self.values[self.counts > 0]
        return (
            bool(len(known))
            and bool((self.counts[self.counts > 0] > 1).all())
            and bool((np.nanmax(known, axis=1) == np.nanmin(known, axis=1)).all())
        )


def matrix(
    samples: Sequence[Samples | None], shortest: float = 0.0, rounds: Sequence[str] = (), keep: bool = False
) -> Matrix:
    """The costs of one metric, a row per configuration, an empty one for None.

    `shortest`: seconds that times count as at least, unless their samples say another. `rounds`: the columns; without
    them, those that there are. A round in which any sample was disturbed is left out whole, so that no mark takes one
    configuration away from the others; where a configuration would keep fewer than FEWEST_QUIET, or with `keep`, all stay. Samples
    without rounds are left out alone.
    """
    rows = [_row(each, shortest) if each else {} for each in samples]
    names = rounds or list(dict.fromkeys(name for row in rows for name in row))
    blocked = all(each.rounds for each in samples if each)
    left_out = [set()] * len(rows) if keep else _left_out(samples, blocked)
    values = np.full((len(rows), len(names)), np.nan)
    column = {name: at for at, name in enumerate(names)}
    for place, row in enumerate(rows):
        for name, cost in row.items():
            if name not in left_out[place]:
                values[place, column[name]] = cost
    numbers, sessions = _sessions(samples, names)
    return Matrix(
        values,
        numbers,
        np.array([floor(each) if each else 0.0 for each in samples]),
        blocked,
        sessions,
    )


def weighted(matrices: Sequence[Matrix], weights: Sequence[float]) -> Matrix:
    """The weighted mean cost of each configuration in each round that has all tasks."""
    share = np.array(weights) / sum(weights)
    values = sum(part * each.values for part, each in zip(share, matrices, strict=True))
    floors = sum(part**2 * each.floors for part, each in zip(share, matrices, strict=True))
    inflation = float(share @ [each.inflation for each in matrices])
    return replace(matrices[0], values=values, floors=floors, inflation=inflation)


def aligned(every: Sequence[Sequence[Samples | None]], shortest: float = 0.0, keep: bool = False) -> list[Matrix]:
    """Matrices of several metrics of the same configurations, whose columns are the same rounds; the others as in `matrix`."""
    names = list(dict.fromkeys(name for samples in every for each in samples if each for name in _names(each)))
    return [matrix(samples, shortest, names, keep) for samples in every]


def costs(values: Sequence[float], like: Samples, shortest: float = 0.0) -> np.ndarray:
    """Costs of values of the same kind as these samples."""
    return np.log(np.maximum(values, smallest(like, shortest))) * (-1 if like.better == "higher" else 1)


def smallest(like: Samples, shortest: float = 0.0) -> float:
    """The smallest value that counts for this kind of samples; 0 if each value counts as it is.

    If a search for the largest number did not find even one, half of one is used.
    """
    if like.rounding is not None:
        return LEAST_COUNT
    if like.unit == "1" and like.better == "higher":
        return LEAST_SHARE
    return shortest_of(like, shortest)


def shortest_of(like: Samples, shortest: float) -> float:
    """Seconds that a shorter time counts as: those of the metric, or else `shortest`; 0 for other kinds."""
    if like.unit != "s":
        return 0.0
    return shortest if like.shortest is None else like.shortest


def is_short(like: Samples, shortest: float) -> bool:
    """Whether one of these samples counts as longer than it took; a ratio to them is then a lower bound."""
    return min(like.values) < shortest_of(like, shortest)


def floor(samples: Samples) -> float:
    """Least variance of a mean cost: 0, or for a number that was searched for what rounding alone makes, width^2 / 12.

    The number is anywhere between the largest that held and the smallest that did not, the same way in every repetition:
    equal answers, however many, do not show it exactly.
    """
    if samples.rounding is None:
        return 0.0
    middle = max(median(samples.values), 1.0)
    return (max(1.0, samples.rounding * middle) / middle) ** 2 / 12


def _names(samples: Samples) -> list[str]:
    return samples.rounds or [str(n) for n in samples.repetitions]


def _left_out(samples: Sequence[Samples | None], blocked: bool) -> list[set[str]]:
    """Per configuration the names of the rounds that are not compared."""
    marked = [
        {name for name, noisy in zip(_names(each), each.noisy, strict=True) if noisy} if each else set()
        for each in samples
    ]
    own = [set(_names(each)) if each else set() for each in samples]
    if not blocked:
        return [some if len(every - some) >= FEWEST_QUIET else set() for some, every in zip(marked, own, strict=True)]
    disturbed = set().union(*marked)
    enough = all(len(every - disturbed) >= min(FEWEST_QUIET, len(every)) for every in own)
    return [disturbed if enough else set()] * len(samples)


def _sessions(samples: Sequence[Samples | None], names: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The number of each round's session, and the names of the sessions in the order of these numbers."""
    of_round = {
        name: session for each in samples if each for name, session in zip(_names(each), each.sessions, strict=False)
    }
    order = {session: at for at, session in enumerate(dict.fromkeys(of_round.get(name, "") for name in names))}
    return np.array([order[of_round.get(name, "")] for name in names], dtype=int), tuple(order)


def _row(samples: Samples, shortest: float) -> dict[str, float]:
    """Round -> cost; of several samples of one round their mean."""
    found: dict[str, list[float]] = {}
    for name, cost in zip(_names(samples), costs(samples.values, samples, shortest).tolist(), strict=True):
        found.setdefault(name, []).append(cost)
    return {name: own[0] if len(own) == 1 else float(np.mean(own)) for name, own in found.items()}
