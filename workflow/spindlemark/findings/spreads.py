"""Spreads: how much the samples of each subject scatter, and what many subjects tell about each other's scatter."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

FEWEST_SUBJECTS = 10  # fewer say too little about how alike spreads are
LEAST_FREEDOM = 1.0  # what is borrowed must be worth a sample, else the spreads are too unlike to borrow from
MARGIN = 0.01  # the spreads are taken to differ as much as they may with this probability


@dataclass(frozen=True)
class Spreads:
    """Per subject: mean, variance of that mean, and its degrees of freedom; NaN where there is one sample only."""

    mean: np.ndarray
    variance: np.ndarray
    freedom: np.ndarray


def spreads(costs: Sequence[Sequence[float]], floors: Sequence[float] | None = None) -> Spreads:
    """Mean and variance of the mean of each subject's samples.

    `floors` holds the least variance of the mean per subject: what rounding alone makes of a count, which more
    samples do not mend (see `tables.floor`). Samples that are all equal, without a floor, count as known exactly.
    """
    n = np.array([len(values) for values in costs])
    variance = np.array([_variance(values) for values in costs])
    variance, freedom = borrowed(variance, n - 1.0)
    least = 0.0 if floors is None else np.asarray(floors)
    return Spreads(np.array([_mean(values) for values in costs]), np.maximum(variance / n, least), freedom)


def borrowed(variance: np.ndarray, freedom: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variances and degrees of freedom after each subject has borrowed from all, as far as they are alike.

    Three samples hardly tell a variance, thirty times three samples do: each variance is drawn to the common one by
    the empirical Bayes estimate of Smyth (2004, section 6.2), with `d0` degrees of freedom that follow from how far
    the variances lie apart. So that unlike spreads are not taken for alike, they count as far apart as they may be
    with probability MARGIN. Nothing is borrowed by fewer than FEWEST_SUBJECTS, nor below LEAST_FREEDOM, nor by
    subjects whose samples are all equal.
    """
    able = (freedom > 0) & (variance > 0)
    count = int(able.sum())
    if count < FEWEST_SUBJECTS:
        return variance, freedom
    half = freedom[able] / 2
    level = np.log(variance[able]) - special.digamma(half) + np.log(half)
    apart = float(level.var(ddof=1)) * (count - 1) / stats.chi2.ppf(MARGIN, count - 1)
    d0 = 2 * _inverse_trigamma(apart - float(special.polygamma(1, half).mean()))
    if d0 < LEAST_FREEDOM:
        return variance, freedom
    common = np.exp(level.mean() + special.digamma(d0 / 2) - np.log(d0 / 2))
    drawn = (d0 * common + freedom * variance) / (d0 + freedom)
    return np.where(able, drawn, variance), np.where(able, d0 + freedom, freedom)


def _inverse_trigamma(value: float, most: float = 1e6) -> float:
    """x with trigamma(x) = value (Newton's method, Smyth 2004, appendix); at most `most`, also where there is none."""
    if value <= 1 / most:
        return most
    x = 0.5 + 1 / value
    for _ in range(50):
        now = special.polygamma(1, x)
        step = now * (1 - now / value) / special.polygamma(2, x)
        x += step
        if -step < 1e-9 * x:
            break
    return float(x)


def _mean(values: Sequence[float]) -> float:
    return float(values[0]) if min(values) == max(values) else float(np.mean(values))


def _variance(values: Sequence[float]) -> float:
    if len(values) < 2:
        return float("nan")
    return 0.0 if min(values) == max(values) else float(np.var(values, ddof=1))
