"""Which numbers a load curve tries, and the largest number estimated from them."""

from dataclasses import dataclass

import pytest

from spindlemark.families.http_streams import load_curve
from spindlemark.families.shared.streams.search import Found, Tried


@dataclass
class Point:
    """What the estimate reads of a trial."""

    lowest_seconds: float
    served: float = 0.0


def measured(limit, guess, points=6, most=48, resolution=0.06):
    """The numbers tried on a device that feeds up to `limit`, and what was found."""
    numbers = []

    def tried(number):
        numbers.append(number)
        return Tried(number <= limit, 0.0)

    return numbers, load_curve.measure(tried, guess, points, most, resolution)


def test_a_small_limit_is_approached_one_by_one():
    assert measured(4, guess=4) == ([1, 2, 3, 4, 5], Found(4, 5))
    assert measured(9, guess=3) == (list(range(1, 11)), Found(9, 10)), "a guess that was too low"


@pytest.mark.parametrize("limit", [20, 26, 31, 35])
def test_a_large_limit_has_a_spread_beyond_it_and_points_near_it(limit):
    numbers, found = measured(limit, guess=30)
    assert numbers[0] == 6 and found.sustained <= limit < found.failed
    assert found.failed - found.sustained <= max(1, 0.06 * found.sustained)
    assert len(set(numbers)) == len(numbers) and sum(number <= limit for number in numbers) >= 3


def test_with_the_overload_a_large_limit_has_eight_points():
    for limit in range(24, 33):
        numbers, _ = measured(limit, guess=limit)
        assert len({*numbers, 48}) >= 8, numbers


def test_it_climbs_where_all_held_and_ends_at_the_most():
    numbers, found = measured(44, guess=24)
    assert numbers[5] == 30 and numbers[6] == 38 and found.sustained <= 44 < found.failed
    assert measured(99, guess=30)[1] == Found(48, None)


def test_it_goes_down_to_none():
    assert measured(0, guess=1)[1] == Found(0, 1)
    assert measured(0, guess=30)[1] == Found(0, 1)
    assert measured(2, guess=30)[1] == Found(2, 3)


def test_the_estimate_is_where_the_lowest_fill_reaches_zero():
    seen = {4: Point(0.6), 6: Point(-0.2)}
    assert load_curve.estimate(Found(4, 6), seen, 1.0) == pytest.approx(4 + 2 * 0.6 / 0.8)
    assert load_curve.estimate(Found(0, 1), {1: Point(-3.0)}, 1.0) == pytest.approx(0.25)


def test_buffers_that_only_shrank_are_estimated_by_what_was_served():
    seen = {4: Point(0.6), 6: Point(0.1, served=5.3)}
    assert load_curve.estimate(Found(4, 6), seen, 1.0) == 5.3
    seen[6] = Point(0.1, served=6.5)
    assert load_curve.estimate(Found(4, 6), seen, 1.0) == 6.0, "no further than what failed"
    seen[6] = Point(0.1, served=3.0)
    assert load_curve.estimate(Found(4, 6), seen, 1.0) == 4.0


def test_without_a_failure_the_largest_that_held_is_the_estimate():
    assert load_curve.estimate(Found(48, None), {48: Point(1.0)}, 1.0) == 48.0
