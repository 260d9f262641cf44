"""Growth: the exponent of a power law, y = a x^b, as a straight line through logarithms (ordinary least squares)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from scipy import stats

CONFIDENCE = 0.95
FEWEST = 3  # points: with two there is no interval
WIDEST = 1.0  # an interval of an exponent that is wider tells linear growth from no other


class Growth(NamedTuple):
    """The exponent, with the interval of Student's t for points that scatter about the line."""

    exponent: float
    low: float
    high: float
    points: int

    @property
    def tells(self) -> bool:
        """Whether the interval is narrow enough to say how something grows."""
        return self.high - self.low <= WIDEST


def fitted(points: Sequence[tuple[float, float]]) -> Growth | None:
    """The growth through (x, y), all above 0; None through fewer than three places."""
    if len({x for x, _ in points}) < FEWEST:
        return None
    line = stats.linregress([math.log(x) for x, _ in points], [math.log(y) for _, y in points])
    half = stats.t.ppf((1 + CONFIDENCE) / 2, len(points) - 2) * line.stderr
    return Growth(float(line.slope), float(line.slope - half), float(line.slope + half), len(points))
