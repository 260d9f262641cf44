"""Compare: which differences between subjects are supported, and the tiers that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from spindlemark.findings.spreads import Spreads, spreads

LARGEST_RATIO = 1e6


@dataclass(frozen=True)
class Differences:
    """Differences of costs on the log scale, row minus column of all pairs, or one per comparison.

    `low`, `high` and `p` are NaN where either side has fewer than two samples.
    """

    log_ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray

    def worse(self, confidence: float, threshold: float) -> np.ndarray:
        """Whether the row is supportedly worse than the column.

        All of: the interval of the ratio excludes 1, the adjusted p is below 1 - confidence, and the ratio is larger
        than 1 + threshold.
        """
        with np.errstate(invalid="ignore"):
            return (self.low > 0) & (self.p < 1 - confidence) & (self.log_ratio > np.log1p(threshold))


def pairwise(costs: Sequence[Sequence[float]], confidence: float, floors: Sequence[float] | None = None) -> Differences:
    """Tamhane's T2: Welch's t for each pair of subjects, adjusted after Sidak for all pairs (Tamhane 1979).

    `costs` holds one sequence per subject, the logarithms of its samples with a sign such that lower is better. The
    intervals hold simultaneously with at least `confidence`, also for unequal variances and few samples, where
    Games-Howell is known to be too bold. Where there are many subjects their spreads are estimated together, and
    `floors` bounds them from below: see `spreads`.
    """
    known = spreads(costs, floors)
    able = int((~np.isnan(known.variance)).sum())
    side = np.arange(len(costs))
    return _welch(known, side[:, None], side[None, :], max(1, able * (able - 1) // 2), confidence)


def chosen(costs: Sequence[Sequence[float]], comparisons: Sequence[tuple[int, int]], confidence: float,
           floors: Sequence[float] | None = None, family: int | None = None) -> Differences:
    """Welch's t for the `comparisons` alone, each a pair of places in `costs`, adjusted after Sidak for all of them.

    For comparisons that were declared before the samples were seen, as of each setting with its own default. They
    share a baseline, so they are positively dependent, and Sidak's bound holds (Dunnett 1955 is its exact form for
    equal variances). `family`: how many comparisons are made together, where there are more than these.
    """
    known = spreads(costs, floors)
    first, second = (np.array(side, dtype=int) for side in zip(*comparisons, strict=True))
    able = ~np.isnan(known.variance[first] + known.variance[second])
    return _welch(known, first, second, max(1, family or int(able.sum())), confidence)


def _welch(known: Spreads, first: np.ndarray, second: np.ndarray, comparisons: int, confidence: float) -> Differences:
    """Welch's t between the places `first` and `second`, adjusted for so many comparisons."""
    difference = known.mean[first] - known.mean[second]
    variance = known.variance[first] + known.variance[second]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = known.variance**2 / known.freedom
        freedom = variance**2 / (share[first] + share[second])
        freedom = np.where(variance == 0, np.inf, freedom)
        t = np.where(difference == 0, 0.0, np.abs(difference) / np.sqrt(variance))
        alone = 2 * stats.t.sf(t, freedom)
        adjusted = -np.expm1(comparisons * np.log1p(-np.minimum(alone, 1)))
        alpha = -np.expm1(np.log(confidence) / comparisons)
        half = stats.t.isf(alpha / 2, freedom) * np.sqrt(variance)
    told = [np.where(np.isnan(variance), np.nan, x) for x in (difference - half, difference + half, adjusted)]
    return Differences(difference, *told)


def bounded(log_ratio: np.ndarray, decimals: int) -> list[float]:
    """Ratios from logarithms; an interval that reaches beyond LARGEST_RATIO ends there, since it says nothing more."""
    most = np.log(LARGEST_RATIO)
    return np.round(np.exp(np.clip(log_ratio, -most, most)), decimals).tolist()


def tiers(order: Sequence[int], worse: np.ndarray) -> list[int]:
    """Tier of each subject, 1 is best; `order` lists the subjects from the best median to the worst.

    Tier 1 is the first of `order` and all that are not supportedly worse than it; the next tier starts over with what
    is left. So a subject of a lower tier is supportedly worse than the first of every higher tier, and one whose
    samples scatter too much to tell stays in the higher tier.
    """
    result = [0] * len(worse)
    left, tier = list(order), 0
    while left:
        tier += 1
        first = left[0]
        for place in left:
            if not worse[place, first]:
                result[place] = tier
        left = [place for place in left if not result[place]]
    return result

