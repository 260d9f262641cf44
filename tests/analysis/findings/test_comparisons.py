"""Three verdicts, simultaneous and at every look, against scipy and against cases that can be worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from spindlemark.analysis.findings.blocks import Matrix
from spindlemark.analysis.findings.comparisons import (
    BETTER,
    EQUIVALENT,
    INCONCLUSIVE,
    Pairs,
    alphas,
    bounded,
    compared,
    judge,
    tiers,
)
from spindlemark.analysis.findings.spreads import Spread, pooled

WHOLE = 0.05


def _matrix(*rows: list[float], blocked: bool = True, floors: float = 0.0) -> Matrix:
    longest = max(map(len, rows))
    values = np.array([[*row, *[np.nan] * (longest - len(row))] for row in rows], dtype=float)
    return Matrix(values, np.zeros(longest, int), np.full(len(rows), floors), blocked)


def _own(matrix: Matrix) -> Spread:
    """Each subject's own spread, nothing borrowed and no round taken away."""
    return Spread(np.nanvar(matrix.values, axis=1, ddof=1), matrix.counts - 1.0)


def _made(*comparisons: tuple[float, float], freedom: float = 10.0, n: int = 5) -> Pairs:
    """Comparisons of given difference and standard error."""
    difference, error = (np.array(side, dtype=float) for side in zip(*comparisons, strict=True))
    return Pairs(difference, error**2, np.where(error > 0, freedom, np.inf), np.full(len(difference), n))


def _p(difference: float, error: float, freedom: float = 10.0) -> float:
    return 2 * float(stats.t.sf(abs(difference) / error, freedom))


def _judged(*looks: Pairs, threshold: float = 0.1):
    spent = alphas(1 - WHOLE, len(looks)) if len(looks) > 1 else [WHOLE]
    return judge(looks, np.full(len(looks[0].n), threshold), spent, WHOLE)


def test_samples_without_rounds_are_compared_by_the_t_test_of_scipy():
    rng = np.random.default_rng(1)
    samples = [rng.normal(0, 0.1, 5), rng.normal(0.2, 0.1, 7)]
    shared = sum(float(((own - own.mean()) ** 2).sum()) for own in samples) / 10
    spread = Spread(np.full(2, shared), np.full(2, 10.0))
    pairs = compared(_matrix(*map(list, samples), blocked=False), spread, np.array([0]), np.array([1]))
    found, alone = judge([pairs], np.zeros(1), [WHOLE], WHOLE), stats.ttest_ind(*samples)
    low, high = alone.confidence_interval(1 - WHOLE)
    assert (pairs.freedom[0], found.p[0]) == (10, pytest.approx(alone.pvalue))
    assert (found.low[0], found.high[0]) == (pytest.approx(low), pytest.approx(high))


def test_two_subjects_in_rounds_are_compared_by_the_paired_test_of_scipy():
    """One spread for both, in which the rounds' part is not: that is what pairs tell, no more and no less."""
    rng = np.random.default_rng(2)
    one, other = rng.normal(0, 0.1, 5), rng.normal(0.2, 0.1, 5)
    matrix = _matrix(list(one), list(other))
    pairs = compared(matrix, pooled([matrix])[0], np.array([0]), np.array([1]))
    found, alone = judge([pairs], np.zeros(1), [WHOLE], WHOLE), stats.ttest_rel(one, other)
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
    found = judge([pairs], np.array([0.1]), [WHOLE], WHOLE)
    assert found.verdict.tolist() == [INCONCLUSIVE] and np.isnan([found.p, found.low, found.high, found.level]).all()


def test_a_floor_bounds_what_equal_counts_tell():
    matrix = _matrix([0.0] * 3, [0.25] * 3)
    exact = compared(matrix, _own(matrix), np.array([0]), np.array([1]))
    rounded = compared(_matrix([0.0] * 3, [0.25] * 3, floors=0.01), _own(matrix), np.array([0]), np.array([1]))
    assert exact.variance[0] == 0 and rounded.variance[0] == pytest.approx(0.02)


def test_the_three_verdicts():
    found = _judged(_made((0.5, 0.02)))
    assert found.verdict.tolist() == [BETTER] and found.low[0] > 0
    found = _judged(_made((0.03, 0.02)))
    assert found.verdict.tolist() == [EQUIVALENT] and -0.1 < found.low[0] < 0.03 < found.high[0] < 0.1
    for difference, error in ((0.5, 0.4), (0.03, 0.1), (0.09, 0.06)):
        assert _judged(_made((difference, error))).verdict.tolist() == [INCONCLUSIVE]


def test_a_difference_that_is_sure_but_for_its_size_is_better():
    found = _judged(_made((0.09, 0.02), (-0.09, 0.02)))
    assert found.verdict.tolist() == [BETTER, BETTER]
    assert 0 < found.low[0] < 0.1 < found.high[0] and found.level.tolist() == [WHOLE / 2] * 2


def test_a_small_difference_stays_until_it_is_known_to_be_too_small_to_notice():
    first, vague, sharp = _made((0.09, 0.02)), _made((0.08, 0.02)), _made((0.06, 0.004))
    kept, alone = _judged(first, vague), judge([first], np.array([0.1]), alphas(1 - WHOLE, 1), WHOLE)
    assert kept.verdict.tolist() == [BETTER] and kept.low.tolist() == alone.low.tolist()
    assert _judged(first, sharp).verdict.tolist() == [EQUIVALENT]


def test_a_small_difference_is_not_easier_to_show_beside_what_is_decided():
    """Alone it is better; beside one that is equivalent it is held to half of the level, though that one is done."""
    doubtful = (0.09, 0.035)
    assert WHOLE / 2 < _p(*doubtful) < WHOLE
    assert _judged(_made(doubtful)).verdict.tolist() == [BETTER]
    assert _judged(_made(doubtful, (0.0, 0.01))).verdict.tolist() == [INCONCLUSIVE, EQUIVALENT]


def test_equivalent_is_an_interval_within_the_threshold():
    """By hand: t(0.975, 10) = 2.228, so that 0.02 +- 2.228 x 0.0359 just fits into 0.1, and 0.0360 does not."""
    half = float(stats.t.isf(0.025, 10))
    assert half == pytest.approx(2.228, abs=1e-3)
    assert _judged(_made((0.02, 0.0359))).verdict.tolist() == [EQUIVALENT]
    assert _judged(_made((0.02, 0.0360))).verdict.tolist() == [INCONCLUSIVE]


def test_a_difference_that_is_known_to_be_small_is_equivalent():
    assert _judged(_made((0.09, 0.001))).verdict.tolist() == [EQUIVALENT]
    assert _judged(_made((0.11, 0.001))).verdict.tolist() == [BETTER]


def test_holm_by_hand():
    """Of three comparisons the first is held to 0.05 / 3, the next to 0.05 / 2; then the third fails at 0.05."""
    three = ((0.5, 0.12), (0.5, 0.18), (0.5, 0.3))
    alone = [_p(*each) for each in three]
    assert alone[0] < 0.05 / 3 < alone[1] < 0.05 / 2 < 0.05 < alone[2]
    found = _judged(_made(*three[::-1]))
    assert found.verdict.tolist() == [INCONCLUSIVE, BETTER, BETTER]
    assert found.p[::-1].tolist() == pytest.approx([3 * alone[0], 2 * alone[1], alone[2]])
    assert found.level[::-1].tolist() == pytest.approx([0.05 / 3, 0.05 / 2, 0.05])


def test_after_one_that_fails_none_is_held_and_p_never_falls():
    alike = ((0.5, 0.2), (0.5, 0.21), (0.5, 0.22))
    alone = [_p(*each) for each in alike]
    assert alone[0] > 0.05 / 3 and alone[2] < 0.05
    found = _judged(_made(*alike))
    assert found.verdict.tolist() == [INCONCLUSIVE] * 3 and found.p.tolist() == pytest.approx([3 * p for p in alone])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0.2, 2), st.floats(0.01, 1)), min_size=1, max_size=12))
def test_holm_as_everybody_computes_it(comparisons):
    """Of differences beyond the threshold: sorted p times what is left, never falling, at most 1."""
    found = _judged(_made(*comparisons))
    order = np.argsort([_p(*each) for each in comparisons], kind="stable")
    adjusted = np.maximum.accumulate([(len(order) - k) * _p(*comparisons[at]) for k, at in enumerate(order)])
    held = adjusted <= WHOLE
    assert [bool(found.verdict[at] == BETTER) for at in order] == held.tolist()
    if held.all():
        assert found.p[order].tolist() == pytest.approx(np.minimum(1, adjusted).tolist())
    excluded = (found.low > 0) | (found.high < 0)
    assert (excluded == (found.verdict == BETTER)).all()


def test_what_does_not_scatter_is_decided_without_a_test_and_costs_the_others_nothing():
    found = _judged(_made((0.5, 0), (0.05, 0), (0.0, 0), (0.5, 0.2)))
    assert found.verdict.tolist() == [BETTER, EQUIVALENT, EQUIVALENT, BETTER]
    assert found.level[3] == pytest.approx(0.05) and (found.low[0], found.high[0]) == (0.5, 0.5)


def test_the_levels_of_all_looks_add_up_to_less_than_the_error_rate():
    assert alphas(0.95, 3) == pytest.approx([0.05 / 2, 0.05 / 6, 0.05 / 12])
    assert sum(alphas(0.95, 1000)) < 0.05 and alphas(0.95, 1)[0] < 0.05


def test_a_verdict_stays_and_so_do_its_side_and_interval():
    first, later = _made((0.5, 0.02), (0.3, 0.2)), _made((-0.2, 0.3), (0.3, 0.01))
    one, both = _judged(first, first), _judged(first, later)
    assert one.verdict.tolist() == [BETTER, INCONCLUSIVE] and both.verdict.tolist() == [BETTER, BETTER]
    assert [x[0] for x in (both.difference, both.low, both.high)] == [x[0] for x in (one.difference, one.low, one.high)]
    assert both.low[0] > 0
    assert both.difference[1] == 0.3 and both.level.tolist() == pytest.approx([0.05 / 2 / 2, 0.05 / 6])


def test_later_looks_are_held_to_less():
    """What one look alone would have told is not told by a third one."""
    pairs = _made((0.5, 0.19))
    assert _judged(pairs).verdict.tolist() == [BETTER]
    assert _judged(_made((0.5, 9)), _made((0.5, 9)), pairs).verdict.tolist() == [INCONCLUSIVE]


def test_looking_often_does_not_raise_false_alarms():
    """400 worlds of equal subjects, looked at after each of 3, 4 ... 12 rounds."""
    rng, wrong = np.random.default_rng(4), 0
    for _ in range(400):
        costs, looks = rng.normal(0, 0.1, (2, 12)), []
        for n in range(3, 13):
            matrix = _matrix(*costs[:, :n].tolist())
            looks.append(compared(matrix, _own(matrix), np.array([0]), np.array([1])))
        wrong += judge(looks, np.zeros(1), alphas(1 - WHOLE, len(looks)), WHOLE).verdict[0] == BETTER
    assert wrong / 400 < 0.09  # 0.05 is declared; more than 0.09 has a chance below 1 in 1000


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
