"""Rounds: costs side by side, what is left out of them, and what counts as long."""

import math
from dataclasses import replace

import numpy as np
import pytest

from spindlemark.analysis.findings.blocks import aligned, costs, floor, is_short, matrix, weighted
from spindlemark.analysis.findings.cells import Samples


def _samples(
    values: list[float],
    unit: str = "s",
    better: str = "lower",
    noisy: tuple[int, ...] = (),
    rounds: str = "",
    rounding: float | None = None,
) -> Samples:
    """`noisy`: places; `rounds`: a letter each, without them their numbers."""
    n = len(values)
    return Samples(
        unit,
        better,
        values,
        [at in noisy for at in range(n)],
        list(range(1, n + 1)),
        list(rounds) or [str(at) for at in range(n)],
        [""] * n,
        rounding,
    )


def test_rounds_are_columns_and_what_is_missing_stays_open():
    found = matrix(
        [_samples([1, math.e], rounds="ab"), None, _samples([math.e], rounds="b"), _samples([1], rounds="c")]
    )
    assert np.array_equal(
        found.values,
        [[0, 1, math.nan], [math.nan] * 3, [math.nan, 1, math.nan], [math.nan, math.nan, 0]],
        equal_nan=True,
    )
    assert found.counts.tolist() == [2, 0, 1, 1] and found.blocked
    assert np.array_equal(found.means, [0.5, math.nan, 1, 0], equal_nan=True)


def test_two_samples_of_one_round_count_once():
    found = matrix([_samples([1, math.e**2, 1], rounds="aab")])
    assert found.values.tolist() == [[1, 0]]


def test_times_count_as_at_least_so_long_and_nothing_else_does():
    short, long = costs([0.022, 0.042, 0.4], _samples([1]), 0.2)[[0, 1]], costs([0.4], _samples([1]), 0.2)
    assert short.tolist() == [math.log(0.2)] * 2 and long == pytest.approx([math.log(0.4)])
    assert costs([0.022], _samples([1], unit="1"), 0.2) == pytest.approx([math.log(0.022)])


def test_a_clock_of_its_own_has_a_shortest_time_of_its_own():
    own, many = replace(_samples([0.03]), shortest=0.02), replace(_samples([0.0003]), shortest=0.0)
    assert costs([0.03, 0.002], own, 0.2) == pytest.approx([math.log(0.03), math.log(0.02)])
    assert costs([0.0003], many, 0.2) == pytest.approx([math.log(0.0003)])
    assert not is_short(own, 0.2) and not is_short(many, 0.2) and is_short(_samples([1, 0.1]), 0.2)


def test_more_is_better_where_it_is():
    assert costs([math.e], _samples([1], unit="B/s", better="higher")) == pytest.approx([-1])


def test_none_found_counts_as_half_of_one():
    assert costs([0], _samples([0], "1", "higher", rounding=0.05)) == pytest.approx([math.log(2)])


def test_a_number_that_is_searched_for_is_no_better_known_than_its_rounding():
    assert floor(_samples([1.0])) == 0
    assert floor(_samples([5], "1", "higher", rounding=0.0)) == pytest.approx((1 / 5) ** 2 / 12)
    assert floor(_samples([40] * 9, "1", "higher", rounding=0.25)) == pytest.approx(0.25**2 / 12)


def test_rounds_of_a_session_stay_together():
    one, other = _samples([1, 2, 3]), _samples([1, 2, 3])
    named = [replace(each, sessions=["monday", "monday", "tuesday"]) for each in (one, other)]
    found = matrix(named)
    assert found.names == ("monday", "tuesday") and found.sessions.tolist() == [0, 0, 1]
    assert {part.names[0]: part.values.shape for part in found.by_session()} == {
        "monday": (2, 2),
        "tuesday": (2, 1),
    }


def test_metrics_of_the_same_subjects_have_the_same_columns():
    one, other = aligned(
        [[_samples([1, 1], rounds="ab"), None], [_samples([1], rounds="c"), _samples([1, 1], rounds="ba")]]
    )
    assert (~np.isnan(one.values)).tolist() == [[True, True, False], [False] * 3]
    assert (~np.isnan(other.values)).tolist() == [[False, False, True], [True, True, False]]


def test_the_weighted_cost_is_that_of_rounds_which_have_every_task():
    tasks = aligned([[_samples([math.e, math.e])], [_samples([math.e**5], rounds="0")]])
    found = weighted(tasks, [3, 1])
    assert np.array_equal(found.values, [[2, math.nan]], equal_nan=True)
    assert weighted(aligned([[_samples([4], "1", rounding=0.5)]] * 2), [3, 1]).floors == pytest.approx(
        floor(_samples([4], "1", rounding=0.5)) * (0.75**2 + 0.25**2)
    )


@pytest.mark.parametrize(
    ("rows", "exact"), [([[5, 5], [7, 7, 7]], True), ([[5, 5], [7, 8]], False), ([[5, 5], [7]], False), ([], False)]
)
def test_figures_that_never_differ_are_exact(rows, exact):
    assert matrix([_samples(row, "B") for row in rows]).exact is exact


def test_a_mark_leaves_a_round_out_for_all_or_for_nobody():
    one = replace(_samples([1, 1, 1, 99], noisy=(3,), rounds="abcd"))
    other = replace(_samples([1, 1, 1, 1], rounds="abcd"))
    assert matrix([one, other]).counts.tolist() == [3, 3]
    often = replace(_samples([1, 1, 1, 99], noisy=(2, 3), rounds="abcd"))
    assert matrix([often, other]).counts.tolist() == [4, 4]


def test_a_configuration_whose_rounds_are_all_marked_keeps_its_samples():
    quiet = replace(_samples([1] * 6, rounds="abcdef"))
    marked = replace(_samples([2, 2, 2], noisy=(0, 1, 2), rounds="abc"))
    assert matrix([quiet, marked]).counts.tolist() == [6, 3]
