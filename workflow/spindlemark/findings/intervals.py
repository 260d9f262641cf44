"""Intervals: how well a few samples fix a median."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from scipy import stats

FEWEST = 3
RESAMPLES = 2000
SEED = 20261121
ROWS_AT_ONCE = 16  # few, so that rows x resamples x samples x 8 bytes stay in the processor's cache
RANGE_BELOW = 6  # with fewer samples the interval is their range

Interval = tuple[float, float] | None


def medians(samples: Sequence[Sequence[float]], confidence: float) -> list[Interval]:
    """Percentile bootstrap interval of each median (Efron and Tibshirani 1993, chapter 13); None when n < 3.

    The interval depends on the samples alone: every row of equal length gets the same seeded resamples. With n = 3
    it is the range of the samples, which holds the true median with probability 1 - 2 (1/2)^3 = 0.75, not 0.95: see
    `coverage_of_range`. More resamples do not mend that; more repetitions do.
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
            part = places[start:start + ROWS_AT_ONCE]
            for place, low, high in zip(part, *_bootstrap([samples[p] for p in part], confidence), strict=True):
                intervals[place] = (float(low), float(high))
    return intervals


def coverage_of_range(n: int) -> float:
    """Probability that the range of n independent samples of a continuous quantity holds its median: 1 - 2^(1-n)."""
    return 1 - 2.0 ** (1 - n)


def _median(values: np.ndarray, axis: int) -> np.ndarray:
    """As np.median, in half the time where there are few values and many rows."""
    ordered, n = np.sort(values, axis=axis), values.shape[axis]
    low, high = (ordered.take(at, axis=axis) for at in ((n - 1) // 2, n // 2))
    return (low + high) / 2 if n % 2 == 0 else low


def _bootstrap(rows: list[Sequence[float]], confidence: float) -> tuple[np.ndarray, np.ndarray]:
    result = stats.bootstrap(
        (np.asarray(rows, dtype=float),), _median, axis=-1, vectorized=True, method="percentile",
        n_resamples=RESAMPLES, confidence_level=confidence, rng=np.random.default_rng(SEED),
    )
    return result.confidence_interval
