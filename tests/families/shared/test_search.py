"""The search for the largest number that holds, against every threshold of a small range."""

import itertools

import pytest

from spindlemark import config
from spindlemark.families.shared.streams.search import Found, Tried, search

MOST = 40


def searched(threshold, guess, most=MOST, resolution=0.0, stride=2.0, served=None):
    """What the search finds where numbers up to `threshold` hold, and what it tried.

    Of what a number that failed asks, so many were `served`: all of them, unless told otherwise.
    """
    numbers = []

    def tried(number):
        numbers.append(number)
        return Tried(number <= threshold, number if served is None or number <= threshold else served)

    return search(tried, guess, most, resolution, stride), numbers


@pytest.mark.parametrize("threshold", range(MOST + 3))
def test_the_largest_number_is_found_from_every_guess(threshold):
    for guess in range(-1, MOST + 5):
        found, tried = searched(threshold, guess)
        largest = min(threshold, MOST)
        assert found == Found(largest, None if threshold >= MOST else largest + 1)
        assert len(tried) == len(set(tried)) <= 12
        assert all(1 <= number <= MOST for number in tried)


def test_what_is_found_was_tried_and_is_as_exact_as_asked():
    for threshold, guess, resolution in itertools.product(range(0, 600, 7), (1, 30, 500), (0.05, 0.1, 0.5)):
        found, tried = searched(threshold, guess, 500, resolution)
        assert found.sustained == 0 or found.sustained in tried
        assert found.sustained <= threshold
        if found.failed is None:
            assert found.sustained == 500
        else:
            assert found.failed in tried and found.failed > threshold
            assert found.failed - found.sustained <= max(1, resolution * found.sustained)


def test_where_a_failure_points_to_is_tried_next():
    """With bisection alone it were [90, 180, 127, 106, 97, 101] here."""
    assert searched(100, 90, 500, 0.08, served=102) == (Found(98, 105), [90, 180, 98, 105])
    assert searched(100, 300, 500, 0.08, served=102) == (Found(98, 105), [300, 98, 105])


def test_a_failure_that_misleads_costs_tries_and_not_the_answer():
    for threshold, guess, served in itertools.product(range(1, 480, 13), (1, 60, 400), (0, 1, 50, 200, 479, 1e9)):
        found, tried = searched(threshold, guess, 480, 0.08, served=served)
        assert found.sustained <= threshold < found.failed and len(tried) <= 16
        assert found.failed - found.sustained <= max(1, 0.08 * found.sustained)


def test_a_measured_guess_is_looked_around_closely():
    assert searched(100, 100, 500, 0.08, 1.08) == (Found(100, 108), [100, 108])
    assert searched(100, 104, 500, 0.08, 1.08) == (Found(97, 104), [104, 97])
    assert searched(400, 100, 500, 0.08, 1.08)[0].sustained in range(371, 401)


def test_quick_searches_end_in_steps_that_can_decide():
    """A step of a factor of two could only find a factor of two, four or sixteen."""
    scales = config.load().profiles["quick"].families
    assert scales["aging"].scale["streams"]["resolution"] <= 0.1
    assert scales["concurrent_streams"].scale["resolution"] <= 0.1


def test_a_good_guess_costs_few_tries():
    assert searched(100, 90, 500, 0.25)[1] == [90, 180, 127, 106]
    assert searched(0, 8)[1] == [8, 4, 2, 1]


def test_a_condition_that_wavers_still_ends():
    for answers in itertools.product([True, False], repeat=6):
        pattern = itertools.cycle(answers)
        found = search(lambda _, answers=pattern: Tried(next(answers), 0), 7, 100)
        assert found.failed is None or found.sustained < found.failed


def test_nothing_to_try_is_an_error():
    with pytest.raises(ValueError, match="most is 0"):
        search(lambda _: Tried(True, 1), 1, 0)
