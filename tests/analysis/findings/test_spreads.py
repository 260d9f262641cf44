"""Spreads: what rounds and subjects contribute, and what workloads borrow from each other."""

import numpy as np
import pytest
from scipy import special

from spindlemark.analysis.findings.blocks import Matrix
from spindlemark.analysis.findings.comparisons import DIFFERENT, compared, judge
from spindlemark.analysis.findings.spreads import FEWEST_WORKLOADS, MOST_FREEDOM, Spread, borrowed, pooled

# What the noise of 8 subjects may look like: standard deviation of log time of each.
NOISE = {
    "alike": lambda rng: np.full(8, 0.03),
    "rather alike": lambda rng: 0.03 * rng.lognormal(0, 0.5, 8),
    "two kinds": lambda rng: np.where(np.arange(8) % 2, 0.02, 0.06),
    "one wilder": lambda rng: np.where(np.arange(8) == 0, 0.06, 0.03),
    "one calm": lambda rng: np.where(np.arange(8) == 0, 0.002, 0.03),
}


def _matrix(values: np.ndarray, blocked: bool = True) -> Matrix:
    values = np.asarray(values, dtype=float)
    return Matrix(values, np.zeros(values.shape[1], int), np.zeros(len(values)), blocked)


def _told_apart(matrix: Matrix, spread: Spread) -> bool:
    upper = np.triu_indices(len(matrix.values), 1)
    found = judge(compared(matrix, spread, *upper), np.zeros(len(upper[0])), 0.05 / len(upper[0]), 0.05)
    return bool(np.isin(found.verdict, DIFFERENT).any())


def test_what_a_round_does_to_all_alike_is_no_spread():
    drift, own = np.array([0.0, 1.0, 3.0, -2.0]), np.array([0.0, 0.3, 0.7])
    matrix = _matrix(own[:, None] + drift)
    assert np.allclose(matrix.residuals, 0) and pooled([matrix])[0].variance == pytest.approx([0, 0, 0])
    alone = pooled([_matrix(own[:, None] + drift, blocked=False)])[0]
    assert (alone.variance > 1).all()


def test_a_drift_by_round_does_not_hide_a_difference():
    rng = np.random.default_rng(1)
    values = np.array([0.0, 0.0, 0.3])[:, None] + rng.normal(0, 1, 5) + rng.normal(0, 0.03, (3, 5))
    for blocked, seen in ((True, True), (False, False)):
        matrix = _matrix(values, blocked)
        assert _told_apart(matrix, pooled([matrix])[0]) is seen


def test_incomplete_rounds_are_fitted_too():
    rng = np.random.default_rng(2)
    values = np.array([0.0, 2.0, 5.0])[:, None] + rng.normal(0, 1, 30) + rng.normal(0, 0.01, (3, 30))
    values[0, :5] = values[2, 20:] = np.nan
    spread = pooled([_matrix(values)])[0]
    assert np.sqrt(spread.variance) == pytest.approx([0.01] * 3, rel=0.4)


@pytest.mark.parametrize("n", [3, 6])
def test_two_equal_subjects_alone_are_rarely_told_apart(n):
    rng = np.random.default_rng(3)
    matrices = [_matrix(rng.normal(0, 1, n) + rng.normal(0, 0.05, (2, n))) for _ in range(400)]
    assert sum(_told_apart(each, pooled([each])[0]) for each in matrices) / 400 < 0.09


@pytest.mark.parametrize("noise", NOISE)
def test_equal_subjects_are_rarely_told_apart(noise):
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(75):
        matrices = [_matrix(rng.normal(0, 1, 3) + rng.normal(0, NOISE[noise](rng)[:, None], (8, 3))) for _ in range(4)]
        wrong += sum(_told_apart(*each) for each in zip(matrices, pooled(matrices), strict=True))
    assert wrong / 300 < 0.09  # 0.05 is declared; more than 0.09 has a chance below 1 in 1000


def test_workloads_that_borrow_separate_what_alone_they_could_not():
    rng = np.random.default_rng(7)
    values = [np.array([0.0, 0.07])[:, None] + rng.normal(0, 0.02, (2, 3)) for _ in range(40)]
    matrices = [_matrix(each) for each in values]
    together = sum(_told_apart(*each) for each in zip(matrices, pooled(matrices), strict=True))
    alone = sum(_told_apart(each, pooled([each])[0]) for each in matrices)
    assert together > 36 > 28 > alone


def test_few_workloads_borrow_nothing():
    variance, freedom = np.full(FEWEST_WORKLOADS - 1, 0.01), np.full(FEWEST_WORKLOADS - 1, 2.0)
    found = borrowed(variance, freedom)
    assert found[0] is variance and found[1] is freedom


def test_what_does_not_scatter_neither_gives_nor_takes():
    rng = np.random.default_rng(10)
    variance, freedom = np.append(rng.chisquare(4, 6) / 4, 0.0), np.full(7, 4.0)
    found = borrowed(variance, freedom)
    assert (found[0][-1], found[1][-1]) == (0, 4)
    assert np.array_equal(found[0][:-1], borrowed(variance[:-1], freedom[:-1])[0])


def test_unlike_spreads_borrow_next_to_nothing():
    variance = np.geomspace(1e-8, 1, 20)
    found, freedom = borrowed(variance, np.full(20, 20.0))
    assert np.ptp(np.log(found)) > 0.9 * np.ptp(np.log(variance)) and freedom[0] < 22


def test_alike_spreads_are_drawn_to_the_common_one():
    rng = np.random.default_rng(8)
    variance = 0.01 * rng.chisquare(4, 200) / 4
    found, freedom = borrowed(variance, np.full(200, 4.0))
    assert np.ptp(np.log(found)) < np.ptp(np.log(variance)) / 2
    assert np.median(found) == pytest.approx(0.01, rel=0.2) and freedom[0] > 10
    assert np.array_equal(np.argsort(found), np.argsort(variance))


def test_the_estimate_recovers_the_distribution_that_the_spreads_came_from():
    """Variances from a scaled inverse chi-squared distribution with 6 degrees of freedom (Smyth 2004, section 4)."""
    rng = np.random.default_rng(9)
    true = 0.02 * 6 / rng.chisquare(6, 5000)
    _, freedom = borrowed(true * rng.chisquare(4, 5000) / 4, np.full(5000, 4.0))
    assert freedom[0] - 4 == pytest.approx(6, rel=0.25)


def test_one_that_scatters_more_keeps_more_of_its_own_and_one_that_scatters_less_does_not():
    rng = np.random.default_rng(11)
    values = rng.normal(0, np.array([0.3, 0.001, *[0.02] * 6])[:, None], (8, 6))
    spread = pooled([_matrix(values)])[0]
    assert spread.variance[0] > 1.5 * spread.variance[2] and spread.variance[1] == spread.variance.min()


def test_no_more_freedom_than_the_tails_of_samples_allow():
    spread = pooled([_matrix(np.random.default_rng(12).normal(0, 1, (6, 50)))])[0]
    assert set(spread.freedom) == {MOST_FREEDOM}


def test_one_sample_has_no_spread():
    spread = pooled([_matrix([[1.0, np.nan], [1.0, 2.0], [2.0, 3.1]])])[0]
    assert np.isnan(spread.variance).tolist() == [True, False, False]
    nothing = pooled([_matrix([[1.0], [2.0]])])[0]
    assert np.isnan(nothing.variance).all() and (nothing.freedom == 0).all()


def test_trigamma_is_the_derivative_that_the_estimate_inverts():
    from spindlemark.analysis.findings.spreads import _inverse_trigamma

    for x in (0.3, 1.0, 7.0, 500.0):
        assert _inverse_trigamma(float(special.polygamma(1, x))) == pytest.approx(x, rel=1e-6)
    assert _inverse_trigamma(-1.0) == 1e6
