"""Verdicts from simultaneous intervals, against scipy and against cases that can be worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from spindlemark.analysis.findings.blocks import Matrix
from spindlemark.analysis.findings.comparisons import (
    BETTER,
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    SLIGHTLY,
    Pairs,
    bounded,
    compared,
    concentration,
    judge,
    level_of_baseline,
    level_of_best,
    tiers,
)
from spindlemark.analysis.findings.spreads import MOST_FREEDOM, Between, Spread, pooled

WHOLE = 0.05


def _matrix(*rows: list[float], blocked: bool = True, floors: float = 0.0, sessions: list[int] | None = None) -> Matrix:
    longest = max(map(len, rows))
    values = np.array([[*row, *[np.nan] * (longest - len(row))] for row in rows], dtype=float)
    return Matrix(values, np.array(sessions or [0] * longest), np.full(len(rows), floors), blocked)


def _own(matrix: Matrix) -> Spread:
    """Each subject's own spread, nothing borrowed and no round taken away."""
    return Spread(np.nanvar(matrix.values, axis=1, ddof=1), matrix.counts - 1.0)


def _made(*comparisons: tuple[float, float], freedom: float = 10.0, n: int = 5) -> Pairs:
    """Comparisons of given difference and standard error."""
    difference, error = (np.array(side, dtype=float) for side in zip(*comparisons, strict=True))
    return Pairs(difference, error**2, np.where(error > 0, freedom, np.inf), np.full(len(difference), n))


def _judged(pairs: Pairs, margin: float = 0.1, level: float = WHOLE):
    return judge(pairs, np.full(len(pairs.n), margin), level, WHOLE)


def test_samples_without_rounds_are_compared_by_the_t_test_of_scipy():
    rng = np.random.default_rng(1)
    samples = [rng.normal(0, 0.1, 5), rng.normal(0.2, 0.1, 7)]
    shared = sum(float(((own - own.mean()) ** 2).sum()) for own in samples) / 10
    spread = Spread(np.full(2, shared), np.full(2, 10.0))
    pairs = compared(_matrix(*map(list, samples), blocked=False), spread, np.array([0]), np.array([1]))
    found, alone = _judged(pairs, 0.0), stats.ttest_ind(*samples)
    low, high = alone.confidence_interval(1 - WHOLE)
    assert (pairs.freedom[0], found.p[0]) == (10, pytest.approx(alone.pvalue))
    assert (found.low[0], found.high[0]) == (pytest.approx(low), pytest.approx(high))


def test_two_subjects_in_rounds_are_compared_by_the_paired_test_of_scipy():
    """One spread for both, in which the rounds' part is not: that is what pairs tell, no more and no less."""
    rng = np.random.default_rng(2)
    one, other = rng.normal(0, 0.1, 5), rng.normal(0.2, 0.1, 5)
    matrix = _matrix(list(one), list(other))
    pairs = compared(matrix, pooled([matrix])[0], np.array([0]), np.array([1]))
    found, alone = _judged(pairs, 0.0), stats.ttest_rel(one, other)
    assert found.p[0] == pytest.approx(alone.pvalue)
    assert (found.low[0], found.high[0]) == tuple(map(pytest.approx, alone.confidence_interval(1 - WHOLE)))


def test_rounds_that_both_have_are_compared_and_no_others():
    """In the third round the machine was slow, and only the first subject was measured."""
    matrix = _matrix([0.0, 0.1, 9.0], [0.2, 0.3, math.nan], [math.nan, math.nan, 0.0])
    pairs = compared(matrix, Spread(np.full(3, 0.04), np.full(3, 8.0)), *np.indices((3, 3)))
    assert pairs.difference[0, 1] == pytest.approx(-0.2) and pairs.n.tolist() == [[3, 2, 1], [2, 2, 0], [1, 0, 1]]
    assert pairs.variance[0, 1] == pytest.approx(0.04 / 2 + 0.04 / 2)
    assert np.isnan(pairs.variance[1, 2])


def test_what_shares_no_round_has_no_verdict():
    matrix = _matrix([0.0, 0.0, math.nan, math.nan], [math.nan, math.nan, 5.0, 5.0])
    pairs = compared(matrix, Spread(np.full(2, 1e-4), np.full(2, 8.0)), np.array([0]), np.array([1]))
    found = _judged(pairs)
    assert found.verdict.tolist() == [INCONCLUSIVE] and np.isnan([found.p, found.low, found.high, found.level]).all()


def test_a_floor_bounds_what_equal_counts_tell():
    matrix = _matrix([0.0] * 3, [0.25] * 3)
    exact = compared(matrix, _own(matrix), np.array([0]), np.array([1]))
    rounded = compared(_matrix([0.0] * 3, [0.25] * 3, floors=0.01), _own(matrix), np.array([0]), np.array([1]))
    assert exact.variance[0] == 0 and rounded.variance[0] == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("sessions", "share"), [([0, 0, 0, 0], 1.0), ([0, 0, 1, 1], 0.5), ([0, 1, 2, 3], 0.25), ([0, 0, 0, 1], 0.625)]
)
def test_further_sessions_average_out_what_further_rounds_do_not(sessions, share):
    matrix = _matrix([0.0, 0.1, 0.0, 0.1], [0.2, 0.3, 0.3, 0.2], sessions=sessions)
    spread = Spread(np.full(2, 0.01), np.full(2, 12.0))
    places = np.array([0]), np.array([1])
    alone, moved = compared(matrix, spread, *places), compared(matrix, spread, *places, Between(0.02, 4.0))
    assert concentration(np.ones((1, 4), bool), np.array(sessions)).tolist() == [pytest.approx(share)]
    assert moved.variance[0] == pytest.approx(alone.variance[0] + 2 * 0.02 * share)
    within, between = alone.variance[0], 2 * 0.02 * share
    satterthwaite = (within + between) ** 2 / (within**2 / 12 + between**2 / 4)
    assert moved.freedom[0] == pytest.approx(min(satterthwaite, MOST_FREEDOM))


def test_the_four_verdicts():
    found = _judged(_made((0.5, 0.02), (0.03, 0.02), (0.12, 0.03), (0.5, 0.4)))
    assert found.verdict.tolist() == [BETTER, EQUIVALENT, SLIGHTLY, INCONCLUSIVE]
    assert found.low[0] > 0.1 and -0.1 < found.low[1] < found.high[1] < 0.1 and 0 < found.low[2] < 0.1 < found.high[2]
    for difference, error in ((0.03, 0.1), (0.09, 0.06)):
        assert _judged(_made((difference, error))).verdict.tolist() == [INCONCLUSIVE]


def test_a_sure_difference_within_the_margin_is_equivalent_on_both_sides():
    found = _judged(_made((0.05, 0.004), (-0.05, 0.004)))
    assert found.verdict.tolist() == [EQUIVALENT] * 2 and found.low[0] > 0 > found.high[1]


@settings(max_examples=80, deadline=None)
@given(st.floats(-1, 1), st.floats(0.001, 0.5), st.floats(0.0, 0.3))
def test_a_verdict_follows_from_the_interval_that_is_shown(difference, error, margin):
    found = _judged(_made((difference, error)), margin)
    low, high, verdict = found.low[0], found.high[0], found.verdict[0]
    assert (verdict == EQUIVALENT) == (-margin <= low and high <= margin)
    assert (verdict in DIFFERENT) == ((low > 0 or high < 0) and verdict != EQUIVALENT)
    assert (verdict == BETTER) == ((low > margin or high < -margin) and verdict != EQUIVALENT)


def test_what_does_not_scatter_is_decided_without_a_test():
    found = _judged(_made((0.5, 0), (0.05, 0), (0.0, 0)))
    assert found.verdict.tolist() == [BETTER, EQUIVALENT, EQUIVALENT]
    assert (found.low[0], found.high[0], found.p[2]) == (0.5, 0.5, 1.0)


def test_the_error_rate_is_shared_by_the_comparisons_with_the_best():
    assert [level_of_best(0.95, k) for k in (2, 3, 5)] == pytest.approx([0.03, 0.015, 0.0075])
    assert [level_of_baseline(0.95, others) for others in (1, 4)] == pytest.approx([0.03, 0.0075])


def test_looking_four_times_keeps_the_error_rate():
    """2,000 worlds of two equal subjects, looked at after 3, 5, 8 and 12 rounds, as verdicts are while they are measured."""
    rng, wrong = np.random.default_rng(4), 0
    for _ in range(2000):
        costs = rng.normal(0, 0.1, (2, 12))
        for n in (3, 5, 8, 12):
            matrix = _matrix(*costs[:, :n].tolist())
            pairs = compared(matrix, Spread(np.full(2, 0.01), np.full(2, np.inf)), np.array([0]), np.array([1]))
            if _judged(pairs, 0.0, level_of_best(1 - WHOLE, 2)).verdict[0] in DIFFERENT:
                wrong += 1
                break
    assert wrong / 2000 < 0.08  # about 7 % by Pocock's table for 3 % at each of four looks; 12 % at 5 % each


def test_ratios_end_where_they_say_nothing_more():
    assert bounded(np.array([-1000.0, 0.0, math.log(2), 1000.0]), 3) == [0.0, 1.0, 2.0, 1e6]


def test_the_first_tier_is_beaten_by_nobody():
    beaten = np.zeros((4, 4), dtype=bool)
    beaten[2, 0] = beaten[3, 2] = True  # nothing is known of the second
    assert tiers(beaten) == [1, 1, 2, 3]
    assert tiers(np.zeros((3, 3), dtype=bool)) == [1, 1, 1] and tiers(np.zeros((0, 0), dtype=bool)) == []


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_no_tier_holds_two_of_which_one_is_better(n, seed, share):
    rng = np.random.default_rng(seed)
    beaten = np.tril(rng.random((n, n)) < share, -1)  # a later one is beaten by an earlier one, or by nobody
    order = rng.permutation(n)
    found = np.array(tiers(beaten[np.ix_(order, order)]))
    for a, b in zip(*np.nonzero(beaten[np.ix_(order, order)]), strict=True):
        assert found[a] > found[b]
    for tier in range(2, found.max() + 1):
        above, own = found == tier - 1, found == tier
        assert beaten[np.ix_(order, order)][np.ix_(own, above)].any(axis=1).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.floats(-3, 3), min_size=4, max_size=4), min_size=2, max_size=4), st.floats(-5, 5))
def test_another_unit_changes_no_difference(samples, shift):
    spread = Spread(np.full(len(samples), 0.01), np.full(len(samples), 8.0))
    every = np.indices((len(samples), len(samples)))
    one, other = (
        compared(_matrix(*rows), spread, *every).difference
        for rows in (samples, [[value + shift for value in values] for values in samples])
    )
    assert np.allclose(one, other, atol=1e-9)
