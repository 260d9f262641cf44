"""The largest number of streams from the curve of missed frames, and how far streams are added."""

import pytest

from spindlemark.families.live_video import load_curve
from spindlemark.families.shared.streams.search import Found


@pytest.mark.parametrize(
    ("values", "fitted"),
    [
        ([], []),
        ([1, 2, 3], [1, 2, 3]),
        ([3, 1], [2, 2]),
        ([1, 3, 2, 4], [1, 2.5, 2.5, 4]),
        ([4, 2, 0], [2, 2, 2]),
        ([0, 5, 1, 3], [0, 3, 3, 3]),
    ],
)
def test_the_fitted_curve_never_falls(values, fitted):
    assert load_curve.monotone(values) == pytest.approx(fitted)


@pytest.mark.parametrize(
    ("missed", "held"),
    [
        ([], 0),
        ([0, 0.5, 0.6, 9], 2),  # one frame in two seconds is still held
        ([9, 9, 9], 0),
        ([0, 0, 20, 0, 0], 5),  # one bad trial among good ones
        ([0, 0, 20, 20, 0], 2),
        ([0, 0, 20, 0, 20], 4),
    ],
)
def test_one_trial_does_not_decide(missed, held):
    assert load_curve.sustained(missed) == held


def added(missed, most):
    tried = []

    def one(number):
        tried.append(number)
        return missed(number)

    return load_curve.add_one_by_one(one, most), tried


def test_streams_are_added_until_two_beyond_the_first_that_is_too_many():
    (found, last), tried = added(lambda number: 0.0 if number <= 4 else 3.0, 64)
    assert (found, last, tried) == (Found(4, 5), 7, [1, 2, 3, 4, 5, 6, 7])
    (found, _), tried = added(lambda number: 9.0, 64)
    assert (found, tried) == (Found(0, 1), [1, 2, 3])


def test_a_number_that_failed_by_chance_does_not_end_it():
    (found, _), tried = added(lambda number: 2.0 if number == 2 or number > 6 else 0.0, 64)
    assert found == Found(6, 7) and tried[-1] == 9


def test_what_ends_too_early_is_at_least_so_many():
    (found, last), _ = added(lambda number: 0.0, 3)
    assert (found, last) == (Found(3, None), 3)
    (found, last), tried = added(lambda number: None if number == 3 else 0.0, 64)
    assert (found, last, tried) == (Found(2, None), 2, [1, 2, 3])
