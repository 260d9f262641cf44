"""The drift of the latency over a long trial: its slope, with an interval that allows for dependent latencies.

The median latency of each of up to SPANS equal spans of the trial goes into a line by least squares. Latencies that follow each other
depend on each other, so the interval comes from a moving-block bootstrap of the line's residuals (Künsch 1989, "The jackknife and the
bootstrap for general stationary observations", Annals of Statistics 17). Blocks have the cube root of the number of spans, rounded up.
"""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

SPANS, FEWEST = 300, 20
DRAWS, CONFIDENCE = 2000, 0.95
MINUTE = 60.0
_SEED = 1


class Drift(NamedTuple):
    """Seconds of latency per minute: the slope, and the ends of its 95 % interval."""

    slope: float
    low: float
    high: float

    @property
    def detected(self) -> bool:
        """Whether the interval excludes a latency that stays as it is."""
        return self.low > 0 or self.high < 0


class Span(NamedTuple):
    """A part of the trial: medians of the moments, in seconds from its first frame, and of the latencies, in seconds."""

    second: float
    latency: float


def spans(captured: Sequence[float], latencies: Sequence[float]) -> list[Span]:
    """Medians of up to SPANS equal spans of time; `captured` are the moments of the frames, in seconds.

    Raises ValueError where fewer than FEWEST have any frame: that is too few for a slope with an interval.
    """
    times, values = np.asarray(captured, float), np.asarray(latencies, float)
    if len(times) < FEWEST:
        raise ValueError(f"{len(times)} frames were shown, and a slope needs {FEWEST}")
    count = min(SPANS, len(times))
    edges = np.linspace(times.min(), times.max(), count + 1)
    place = np.clip(np.searchsorted(edges, times, "right") - 1, 0, count - 1)
    found = [
        Span(float(np.median(times[place == n]) - edges[0]), float(np.median(values[place == n])))
        for n in np.unique(place)
    ]
    if len(found) < FEWEST:
        raise ValueError(f"frames were shown in {len(found)} parts of the trial, and a slope needs {FEWEST}")
    return found


def drift(medians: Sequence[Span]) -> Drift:
    """The slope of the medians per minute, with its interval."""
    times, values = np.array([s.second for s in medians]), np.array([s.latency for s in medians])
    offsets = times - times.mean()
    weights = offsets / (offsets**2).sum()
    slope = float(weights @ values)
    left = values - values.mean() - slope * offsets
    left *= np.sqrt(len(left) / (len(left) - 2))  # residuals of a line with two parameters are too small by this
    slopes = slope + _resampled(left) @ weights
    low, high = np.quantile(slopes, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Drift(MINUTE * slope, MINUTE * float(low), MINUTE * float(high))


def _resampled(values: np.ndarray) -> np.ndarray:
    """DRAWS rows, each of whole blocks of `values` that begin anywhere, with a mean of 0 over all possible draws."""
    chance, count = np.random.default_rng(_SEED), len(values)
    length = ceil(count ** (1 / 3))
    blocks = ceil(count / length)
    begins = chance.integers(0, count - length + 1, (DRAWS, blocks))
    places = (begins[:, :, None] + np.arange(length)).reshape(DRAWS, -1)[:, :count]
    drawn = values[places]
    return drawn - drawn.mean()


EXACT, SLOW = "exact", "one-frame-slow"  # clocks of the receiver; the slow one is a control with a known drift


def slow_rate(seconds: float, rate: int) -> float:
    """The rate of a clock that is one frame interval behind after so many seconds: its latencies fall by as much."""
    return 1 - 1 / (rate * seconds)


def listed(found: Drift) -> dict[str, float | bool]:
    """The drift as it is kept in the record, in milliseconds per minute."""
    return {
        "slope_ms_per_minute": round(1e3 * found.slope, 6),
        "low_ms_per_minute": round(1e3 * found.low, 6),
        "high_ms_per_minute": round(1e3 * found.high, 6),
        "detected": found.detected,
    }
