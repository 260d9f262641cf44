"""BD-rate, compared with the published implementation in the package bjontegaard."""

import random

import bjontegaard
import pytest

from spindlemark.families.shared.codecs.bd_rate import CurveError, Point, rate_ratio, ratio_at

# bits per second and PSNR of a codec, each with a slightly bent curve as encoders have it
ANCHOR = [
    Point(9.5e6, 31.2),
    Point(18e6, 34.1),
    Point(37e6, 37.4),
    Point(80e6, 40.9),
    Point(171e6, 44.0),
    Point(330e6, 46.1),
]
TESTED = [Point(3.1e6, 30.1), Point(7.9e6, 34.6), Point(16e6, 38.2), Point(41e6, 42.0), Point(99e6, 45.2)]


def reference(anchor: list[Point], tested: list[Point]) -> float:
    """BD-rate in percent by PCHIP."""
    given = [[getattr(point, name) for point in curve] for curve in (anchor, tested) for name in ("rate", "quality")]
    return bjontegaard.bd_rate(*given, method="pchip", require_matching_points=False, min_overlap=0)


def made(seed: int, points: int) -> list[Point]:
    """A monotonic curve by chance."""
    draw, rate, quality = random.Random(seed), 1e6, 28.0
    found = []
    for _ in range(points):
        rate, quality = rate * draw.uniform(1.2, 3), quality + draw.uniform(0.3, 5)
        found.append(Point(rate, quality))
    return found


@pytest.mark.parametrize(
    ("anchor", "tested"),
    [(ANCHOR, TESTED), (TESTED, ANCHOR), *((made(n, 4 + n % 5), made(n + 100, 4 + n % 3)) for n in range(8))],
)
def test_it_agrees_with_the_published_implementation_to_a_hundredth_of_a_percent(anchor, tested):
    assert 100 * (rate_ratio(anchor, tested) - 1) == pytest.approx(reference(anchor, tested), abs=0.01)


def test_half_of_the_bits_at_each_quality_is_a_half_in_any_order_of_the_points():
    assert rate_ratio(ANCHOR, [Point(p.rate / 2, p.quality) for p in reversed(ANCHOR)]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("tested", "words"),
    [
        ([Point(1e6 * n, 50.0 + n) for n in range(1, 6)], "no common quality: the anchor's is 31.2 to 46.1"),
        ([*TESTED[:-1], Point(99e6, 41.0)], "curve of the codec is not monotonic: 4.1e"),
        ([*TESTED[:-1], Point(41e6, 45.0)], "not monotonic"),
        (TESTED[:3], "has 3 points, and 4 are needed"),
    ],
)
def test_curves_without_a_common_or_a_rising_quality_are_refused(tested, words):
    with pytest.raises(CurveError, match=words):
        rate_ratio(ANCHOR, tested)


def test_one_point_is_compared_at_its_own_quality():
    """On the anchor it needs the anchor's rate; with half of it, half. Nothing is extrapolated."""
    assert [ratio_at(ANCHOR, point) for point in ANCHOR] == pytest.approx([1] * len(ANCHOR))
    assert ratio_at(ANCHOR, Point(18.5e6, 37.4)) == pytest.approx(0.5)
    assert 1 < ratio_at(ANCHOR, Point(80e6, 39.0)) < 80 / 37, "between two points of the anchor"
    for quality in (31.1, 46.2):
        with pytest.raises(CurveError, match=f"the quality {quality} is outside the anchor's 31.2 to 46.1"):
            ratio_at(ANCHOR, Point(1e6, quality))
