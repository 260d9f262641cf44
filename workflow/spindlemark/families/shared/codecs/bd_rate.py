"""Bjøntegaard delta rate: the bit rate of a codec at equal quality, as a multiple of an anchor's.

The method of AOM's common test conditions (AV2 CTC, CWG-B075): the logarithm of the rate as a function of
quality is interpolated by PCHIP (Fritsch and Butland 1984, SciPy's PchipInterpolator) and its mean difference is taken
over the range of quality that both curves have.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator

FEWEST_POINTS = 4


class Point(NamedTuple):
    """One setting: bits per second, and its quality, more of which is better."""

    rate: float
    quality: float


class CurveError(ValueError):
    """Curves that have no such rate: too few points, not monotonic, or without a common quality."""


def rate_ratio(reference: Sequence[Point], tested: Sequence[Point]) -> float:
    """The mean ratio of rates at equal quality, 0.8 for a BD-rate of -20 %. Raises CurveError."""
    one, other = _ordered(reference, "the anchor"), _ordered(tested, "the codec")
    low = max(one[0].quality, other[0].quality)
    high = min(one[-1].quality, other[-1].quality)
    if low >= high:
        raise CurveError(
            f"the curves have no common quality: the anchor's is {one[0].quality:.4g} to {one[-1].quality:.4g}, "
            f"the codec's {other[0].quality:.4g} to {other[-1].quality:.4g}"
        )
    areas = [_logarithm(curve).integrate(low, high) for curve in (one, other)]
    return float(10 ** ((areas[1] - areas[0]) / (high - low)))


def ratio_at(reference: Sequence[Point], point: Point) -> float:
    """The rate of one point as a multiple of the anchor's at the same quality, by the same interpolation. Raises CurveError."""
    curve = _ordered(reference, "the anchor")
    if not curve[0].quality <= point.quality <= curve[-1].quality:
        raise CurveError(
            f"the quality {point.quality:.4g} is outside the anchor's {curve[0].quality:.4g} to {curve[-1].quality:.4g}"
        )
    return float(point.rate / 10 ** _logarithm(curve)(point.quality))


def _logarithm(curve: Sequence[Point]) -> PchipInterpolator:
    """The logarithm of the rate as a function of quality."""
    return PchipInterpolator([p.quality for p in curve], np.log10([p.rate for p in curve]))


def _ordered(points: Sequence[Point], whose: str) -> list[Point]:
    """The points by rate; raises CurveError unless quality rises with the rate."""
    if len(points) < FEWEST_POINTS:
        raise CurveError(f"the curve of {whose} has {len(points)} points, and {FEWEST_POINTS} are needed")
    ordered = sorted(points)
    for one, other in pairwise(ordered):
        if not (0 < one.rate < other.rate and one.quality < other.quality):
            raise CurveError(
                f"the curve of {whose} is not monotonic: {one.rate:.4g} bit/s has quality {one.quality:.6g}, "
                f"{other.rate:.4g} bit/s {other.quality:.6g}"
            )
    return ordered
