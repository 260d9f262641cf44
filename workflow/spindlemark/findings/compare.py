"""Compare: which differences between subjects are supported, and the tiers that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Differences:
    """All pairwise differences of costs on the log scale: arrays of subject x subject, row minus column.

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


def pairwise(costs: Sequence[Sequence[float]], confidence: float) -> Differences:
    """Tamhane's T2: Welch's t for each pair of subjects, adjusted after Sidak for all pairs (Tamhane 1979).

    `costs` holds one sequence per subject, the logarithms of its samples with a sign such that lower is better. The
    intervals hold simultaneously with at least `confidence`, also for unequal variances and few samples, where
    Games-Howell is known to be too bold. Samples that are all equal count as known exactly.
    """
    n = np.array([len(values) for values in costs])
    mean = np.array([_mean(values) for values in costs])
    square = np.array([_variance_of_mean(values) for values in costs])
    difference = mean[:, None] - mean[None, :]
    variance = square[:, None] + square[None, :]
    pairs = max(1, int((n >= 2).sum() * ((n >= 2).sum() - 1) / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = square**2 / (n - 1)
        freedom = variance**2 / (share[:, None] + share[None, :])
        freedom = np.where(variance == 0, np.inf, freedom)
        t = np.where(difference == 0, 0.0, np.abs(difference) / np.sqrt(variance))
        alone = 2 * stats.t.sf(t, freedom)
        adjusted = -np.expm1(pairs * np.log1p(-np.minimum(alone, 1)))
        alpha = -np.expm1(np.log(confidence) / pairs)
        half = stats.t.isf(alpha / 2, freedom) * np.sqrt(variance)
    told = [np.where(np.isnan(variance), np.nan, x) for x in (difference - half, difference + half, adjusted)]
    return Differences(difference, *told)


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


def _mean(values: Sequence[float]) -> float:
    return float(values[0]) if min(values) == max(values) else float(np.mean(values))


def _variance_of_mean(values: Sequence[float]) -> float:
    if len(values) < 2:
        return float("nan")
    return 0.0 if min(values) == max(values) else float(np.var(values, ddof=1)) / len(values)
