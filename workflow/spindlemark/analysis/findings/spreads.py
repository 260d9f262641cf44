"""Spreads: how much the costs of each configuration scatter, and what configurations and workloads show about each other's scatter."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from spindlemark.analysis.findings.blocks import Matrix

FEWEST_WORKLOADS = 3  # fewer say too little about how similar spreads are
OWN_WEIGHT = 2.0  # degrees of freedom with which the group's spread tempers one that is wider
MOST_FREEDOM = 16.0  # samples have longer tails than t knows of; found by tests/bench/bench_truth.py


class Spread(NamedTuple):
    """Per configuration: variance of one cost, NaN where there are no two samples, and its degrees of freedom."""

    variance: np.ndarray
    freedom: np.ndarray


class Between(NamedTuple):
    """Variance of a configuration's cost, relative to the others', between sessions, and its degrees of freedom."""

    variance: float
    freedom: float


def pooled(matrices: Sequence[Matrix]) -> list[Spread]:
    """The spreads of one metric under several workloads, a matrix each.

    The common effect of a round on all its configurations is removed first (`Matrix.residuals`). The configurations of a
    workload then share one variance, which borrows from the other workloads (`borrowed`); a configuration that scatters more
    keeps more of its own. What nothing can be borrowed for stays as it is.
    """
    own = [_own(matrix) for matrix in matrices]
    squares = np.array([np.nansum(each.variance * each.freedom) for each in own])
    freedom = np.array([each.freedom.sum() for each in own])
    shared = borrowed(squares / np.where(freedom > 0, freedom, 1), freedom)
    return [_drawn(each, variance, min(free, MOST_FREEDOM)) for each, variance, free in zip(own, *shared, strict=True)]


def _drawn(own: Spread, variance: float, freedom: float) -> Spread:
    """The group's variance for each configuration, or more where its own samples scatter more."""
    if freedom <= 0:
        return own
    wider = (OWN_WEIGHT * variance + own.freedom * np.nan_to_num(own.variance)) / (OWN_WEIGHT + own.freedom)
    return Spread(np.where(own.freedom > 0, np.maximum(variance, wider), np.nan), np.full(len(own.freedom), freedom))


def _own(matrix: Matrix) -> Spread:
    """Each configuration's own spread; removing the rounds costs a share of the freedom."""
    n = matrix.counts - matrix.fitted
    able = n > 0
    configurations = int(able.sum())
    share = (configurations - 1) / configurations if matrix.blocked and configurations > 1 else 1.0
    freedom = np.where(able, n * share, 0.0)
    squares = np.nansum(matrix.residuals**2, axis=1) * matrix.inflation
    squares[squares < 1e-24] = 0.0  # what rounding leaves of equal samples
    return Spread(np.where(able, squares / np.where(able, freedom, 1.0), np.nan), freedom)


def borrowed(variance: np.ndarray, freedom: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variances and degrees of freedom after each workload has borrowed from all, as far as they are similar.

    Each variance is drawn to the common one by the empirical Bayes estimate of Smyth (2004, section 6.2), as limma does
    it, with `d0` degrees of freedom that follow from how far the variances differ. Nothing is borrowed by fewer than
    FEWEST_WORKLOADS, nor by those whose samples are all equal.
    """
    able = (freedom > 0) & (variance > 0)
    if int(able.sum()) < FEWEST_WORKLOADS:
        return variance, freedom
    half = freedom[able] / 2
    level = np.log(variance[able]) - special.digamma(half) + np.log(half)
    d0 = 2 * _inverse_trigamma(float(level.var(ddof=1)) - float(special.polygamma(1, half).mean()))
    common = np.exp(level.mean() + special.digamma(d0 / 2) - np.log(d0 / 2))
    drawn = (d0 * common + freedom * variance) / (d0 + freedom)
    return np.where(able, drawn, variance), np.where(able, d0 + freedom, freedom)


def _inverse_trigamma(value: float, most: float = 1e6) -> float:
    """X with trigamma(x) = value (Newton's method, Smyth 2004, appendix); at most `most`, also where there is none."""
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
