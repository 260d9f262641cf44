"""Growth: the exponent of a power law, y = a x^b, fitted as a straight line to logarithms (ordinary least squares)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from scipy import stats

CONFIDENCE = 0.95
FEWEST = 3  # points: with two there is no interval
WIDEST = 1.0  # with a wider interval, the exponent does not separate linear growth from other growth


class Growth(NamedTuple):
    """The exponent, with the interval of Student's t for points that scatter about the line."""

    exponent: float
    low: float
    high: float
    points: int

    @property
    def conclusive(self) -> bool:
        """Whether the interval is narrow enough to describe the growth."""
        return self.high - self.low <= WIDEST


def fitted(points: Sequence[tuple[float, float]]) -> Growth | None:
    """The growth through (x, y), all above 0; None for fewer than three values of x."""
    if len({x for x, _ in points}) < FEWEST:
        return None
    line = stats.linregress([math.log(x) for x, _ in points], [math.log(y) for _, y in points])
    half = stats.t.ppf((1 + CONFIDENCE) / 2, len(points) - 2) * line.stderr
    return Growth(float(line.slope), float(line.slope - half), float(line.slope + half), len(points))
