"""Compare: which of three verdicts each pair of configurations has, for all comparisons of a question together."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from spindlemark.analysis.findings.blocks import Matrix
from spindlemark.analysis.findings.model import Verdict
from spindlemark.analysis.findings.spreads import Spread

LARGEST_RATIO = 1e6
INCONCLUSIVE, BETTER, EQUIVALENT = 0, 1, 2
NAMES: tuple[Verdict, ...] = ("undecided", "better", "equivalent")


class Pairs(NamedTuple):
    """Comparisons of costs on the log scale: first minus second, what that scatters, and in how many shared rounds.

    `variance` is NaN where the two share no round, or where their spread is not known; 0 where nothing scatters.
    """

    difference: np.ndarray
    variance: np.ndarray
    freedom: np.ndarray
    n: np.ndarray


class Judged(NamedTuple):
    """Per comparison: its verdict, and as of the look that gave it, else of the last one, the difference, its simultaneous
    interval, the adjusted p, and the level that it was held to.
    """

    verdict: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    level: np.ndarray


def compared(matrix: Matrix, spread: Spread, first: np.ndarray, second: np.ndarray) -> Pairs:
    """Student's t between the rows `first` and `second`: within the rounds that both have, where there are rounds.

    It has the degrees of freedom of the less known spread, not more for two of them: most of both is the same estimate.
    The variance of a mean is bounded from below by the matrix' floors, which more samples do not lower.
    """
    known = ~np.isnan(matrix.values)
    if matrix.blocked:
        shared = known[first] & known[second]
        n = shared.sum(axis=-1)
        apart = np.where(shared, matrix.values[first] - matrix.values[second], 0.0)
        difference = apart.sum(axis=-1) / np.where(n > 0, n, 1)
        sides = n, n
    else:
        sides = known.sum(axis=1)[first], known.sum(axis=1)[second]
        n = np.minimum(*sides)
        difference = np.nan_to_num(matrix.means[first] - matrix.means[second])
    parts = [
        np.maximum(spread.variance[place] / np.where(count > 0, count, 1), matrix.floors[place])
        for place, count in zip((first, second), sides, strict=True)
    ]
    variance = np.where(n > 0, parts[0] + parts[1], np.nan)
    freedom = np.where(variance == 0, np.inf, np.minimum(spread.freedom[first], spread.freedom[second]))
    # Equal samples differ by what rounding leaves of them, not by anything.
    return Pairs(np.where(np.abs(difference) < 1e-12, 0.0, difference), variance, freedom, n)


def alphas(confidence: float, looks: int) -> list[float]:
    """Error probability that each look may spend: (1 - confidence) / (k (k + 1)) at look k.

    However many interim analyses there are, and whenever they stop, they add up to no more than 1 - confidence: a spending function
    (Lan and DeMets 1983) with the union bound, which needs nothing of how the looks depend on each other.
    """
    return [(1 - confidence) / (k * (k + 1)) for k in range(1, looks + 1)]


def judge(
    looks: Sequence[Pairs],
    thresholds: np.ndarray,
    spent: Sequence[float],
    whole: float,
    shares: np.ndarray | None = None,
) -> Judged:
    """The verdicts of comparisons that are made together: at each look Holm's (1979) step-down over those still open.

    Each comparison is tested for what its estimate allows: beyond its threshold for a difference (Student's t), else
    for equivalence (two one-sided tests, Schuirmann 1987, both at half the level, so that the interval that is shown
    is within the threshold). One that is not equivalent may still differ, by less than the threshold:
    that is tested at the level which it has next to all others, decided ones too (Bonferroni), since what was found
    equivalent may not differ either; a later look can still find it equivalent. What does not scatter is decided without
    a test.

    `looks`: the same comparisons with the data of each look; `thresholds` are logarithms; `spent`: see `alphas`; `whole`:
    the error probability that p is adjusted to; `shares`: how much of it each comparison gets (Holm's weighted procedure).
    """
    count = len(thresholds)
    verdict, level, p = np.zeros(count, int), np.full(count, np.nan), np.full(count, np.nan)
    difference, low, high = (np.full(count, np.nan) for _ in range(3))
    shares, small = np.ones(count) if shares is None else shares, np.zeros(count, bool)
    for pairs, alpha in zip(looks, spent, strict=True):
        open_ = ((verdict == INCONCLUSIVE) | small) & ~np.isnan(pairs.variance)
        alone = _alone(pairs, thresholds)
        exact = open_ & (pairs.variance == 0)
        order = [*np.flatnonzero(exact), *sorted(np.flatnonzero(open_ & ~exact), key=lambda at: alone[at] / shares[at])]
        left, held, largest = open_ & ~exact, True, 0.0
        for at in order:
            own = alpha * (shares[at] / shares[left].sum() if left[at] else 1.0)
            held = held and (exact[at] or alone[at] <= own)
            if small[at] and not held:
                continue
            largest = max(largest, alone[at] / own)
            level[at], p[at] = own, min(1.0, largest * whole)
            difference[at], low[at], high[at] = pairs.difference[at], *_ends(pairs, at, own)
            if held:
                verdict[at] = BETTER if abs(pairs.difference[at]) > thresholds[at] else EQUIVALENT
                left[at] = small[at] = False
        strict, differ = alpha * shares / shares.sum(), _differ(pairs)
        for at in np.flatnonzero(open_ & ~exact & (verdict == INCONCLUSIVE) & (differ <= strict)).tolist():
            verdict[at], small[at], level[at], p[at] = BETTER, True, strict[at], differ[at] / strict[at] * whole
            low[at], high[at] = _ends(pairs, at, strict[at])
    return Judged(verdict, difference, low, high, p, level)


def bounded(log_ratio: np.ndarray, decimals: int) -> list:
    """Ratios from logarithms; an interval that reaches beyond LARGEST_RATIO ends there, since it says nothing more."""
    most = np.log(LARGEST_RATIO)
    return np.round(np.exp(np.clip(log_ratio, -most, most)), decimals).tolist()


def quantile(level: float, freedom: float) -> float:
    """Student's t with the tail probability `level`. As stats.t.isf, which takes a hundred times as long to check its arguments."""
    return -special.stdtrit(freedom, level)


def tiers(beaten: np.ndarray) -> list[int]:
    """Tier of each configuration, 1 is best; `beaten[a, b]`: a is beaten by b.

    Tier 1 is beaten by none; the next tier is beaten only by those before it. One whose samples scatter too
    much for a verdict stays in the higher tier.
    """
    result = np.zeros(len(beaten), int)
    tier = 0
    while not result.all():
        tier += 1
        left = result == 0
        free = left & ~beaten[:, left].any(axis=1)
        result[free if free.any() else left] = tier
    return result.tolist()


def _beyond(t: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    return special.stdtr(freedom, -t)


def _alone(pairs: Pairs, thresholds: np.ndarray) -> np.ndarray:
    """P of the one test that a comparison gets, not adjusted; two-sided, or twice that of the weaker one-sided test."""
    size = np.abs(pairs.difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(pairs.variance)
        far = np.where(size > thresholds, size, thresholds - size)
        t = np.where(error > 0, far / error, np.inf)
    return np.minimum(1.0, 2 * _beyond(t, pairs.freedom))


def _differ(pairs: Pairs) -> np.ndarray:
    """P of no difference at all, two-sided, not adjusted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return 2 * _beyond(np.abs(pairs.difference) / np.sqrt(pairs.variance), pairs.freedom)


def _ends(pairs: Pairs, at: int, level: float) -> tuple[float, float]:
    if pairs.variance[at] == 0:
        return pairs.difference[at], pairs.difference[at]
    half = quantile(level / 2, pairs.freedom[at]) * np.sqrt(pairs.variance[at])
    return pairs.difference[at] - half, pairs.difference[at] + half
