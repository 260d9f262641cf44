"""Intervals: how well a few samples fix a median."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

FEWEST = 3
RESAMPLES = 2000
SEED = 20261121
ROWS_AT_ONCE = 64  # few, so that rows x resamples x 8 bytes stay in the processor's cache
RANGE_BELOW = 6  # with fewer samples the interval is their range

Interval = tuple[float, float] | None


def medians(samples: Sequence[Sequence[float]], confidence: float) -> list[Interval]:
    """Percentile bootstrap interval of each median (Efron and Tibshirani 1993, chapter 13); None when n < 3.

    The interval depends on the samples alone: every row of equal length gets the same seeded resamples. With n = 3
    it is the range of the samples, which holds the true median with probability 1 - 2 (1/2)^3 = 0.75, not 0.95: see
    `coverage_of_range`. Only more repetitions improve that, not more resamples.
    """
    intervals: list[Interval] = [None] * len(samples)
    by_length = defaultdict(list)
    for place, values in enumerate(samples):
        if len(values) >= FEWEST and min(values) == max(values):
            intervals[place] = (float(values[0]), float(values[0]))
        elif len(values) >= FEWEST:
            by_length[len(values)].append(place)
    for places in by_length.values():
        for start in range(0, len(places), ROWS_AT_ONCE):
            part = places[start : start + ROWS_AT_ONCE]
            for place, low, high in zip(part, *_bootstrap([samples[p] for p in part], confidence), strict=True):
                intervals[place] = (float(low), float(high))
    return intervals


def coverage_of_range(n: int) -> float:
    """Probability that the range of n independent samples of a continuous quantity holds its median: 1 - 2^(1-n)."""
    return 1 - 2.0 ** (1 - n)


def _bootstrap(rows: list[Sequence[float]], confidence: float) -> np.ndarray:
    """Both ends for each of some rows of one length: those of scipy.stats.bootstrap, in a fraction of its time.

    A row is sorted once. From how often a resample took each sample follows which of the ordered ones are in its
    middle, so that no resample is ever written out or sorted.
    """
    ordered, at = np.sort(rows, axis=1), np.argsort(rows, axis=1)
    length = at.shape[1]
    small = np.min_scalar_type(length)
    drawn = np.random.default_rng(SEED).integers(0, length, (RESAMPLES, length))
    cells = (drawn * RESAMPLES + np.arange(RESAMPLES)[:, None]).ravel()
    times = np.bincount(cells, minlength=length * RESAMPLES).reshape(length, RESAMPLES).astype(small)
    seen, lower, upper = (np.zeros((len(rows), RESAMPLES), small) for _ in range(3))
    for sample in at.T:
        seen += times[sample]
        lower += seen <= (length - 1) // 2
        upper += seen <= length // 2
    middles = (np.take_along_axis(ordered, lower, axis=1) + np.take_along_axis(ordered, upper, axis=1)) / 2
    tail = (1 - confidence) / 2
    share = np.array([tail, 1 - tail])
    place, part = np.divmod(share * RESAMPLES + (1 - share), 1)
    high = place.astype(int)  # counted from 0; the quantile is between it and the one below
    middles.partition([*(high - 1), *high], axis=1)
    return ((1 - part) * middles[:, high - 1] + part * middles[:, high]).T
