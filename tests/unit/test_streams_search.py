"""The search for the largest number that holds, against every threshold of a small range."""

import itertools

import pytest
from spindlemark.streams.search import Found, search

MOST = 40


def searched(threshold, guess, most=MOST, resolution=0.0):
    """What the search finds where numbers up to `threshold` hold, and what it tried."""
    tried = []

    def holds(number):
        tried.append(number)
        return number <= threshold

    return search(holds, guess, most, resolution), tried


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


def test_a_good_guess_costs_few_tries():
    assert searched(100, 90, 500, 0.25)[1] == [90, 180, 135, 112]
    assert searched(0, 8)[1] == [8, 4, 2, 1]


def test_a_condition_that_wavers_still_ends():
    for answers in itertools.product([True, False], repeat=6):
        pattern = itertools.cycle(answers)
        found = search(lambda _, answers=pattern: next(answers), 7, 100)
        assert found.failed is None or found.sustained < found.failed


def test_nothing_to_try_is_an_error():
    with pytest.raises(ValueError, match="most is 0"):
        search(lambda _: True, 1, 0)
