"""Spreads of many subjects: what they borrow from each other, and how often that is wrong."""

import numpy as np
import pytest
from scipy import special
from spindlemark.findings.compare import chosen, pairwise
from spindlemark.findings.spreads import FEWEST_SUBJECTS, borrowed, spreads

# What the noise of 24 subjects may look like: standard deviation of log time of each.
NOISE = {
    "alike": lambda rng: np.full(24, 0.03),
    "rather alike": lambda rng: 0.03 * rng.lognormal(0, 0.5, 24),
    "unlike": lambda rng: 0.03 * rng.lognormal(0, 1, 24),
    "two kinds": lambda rng: np.where(np.arange(24) % 2, 0.01, 0.1),
    "one wild": lambda rng: np.where(np.arange(24) == 0, 0.3, 0.02),
    "one calm": lambda rng: np.where(np.arange(24) == 0, 0.002, 0.03),
}


def _halves(found) -> float:
    return float(np.median((found.high - found.low)[~np.eye(len(found.low), dtype=bool)])) / 2


@pytest.mark.parametrize("noise", NOISE)
def test_equal_subjects_of_a_large_group_are_rarely_told_apart(noise):
    rng = np.random.default_rng(5)
    wrong = sum(bool((pairwise(rng.normal(0, NOISE[noise](rng)[:, None], (24, 3)), 0.95).p < 0.05).any())
                for _ in range(300))
    assert wrong / 300 < 0.09  # 0.05 is declared; more than 0.09 has a chance below 1 in 1000


def test_equal_subjects_with_bursts_of_noise_are_rarely_told_apart():
    rng = np.random.default_rng(6)
    wrong = 0
    for _ in range(300):
        bursts = np.where(rng.random((24, 3)) < 0.15, rng.exponential(0.12, (24, 3)), 0.0)
        wrong += bool((pairwise(rng.normal(0, 0.03, (24, 3)) + bursts, 0.95).p < 0.05).any())
    assert wrong / 300 < 0.09


def test_a_large_group_of_few_samples_separates_what_alone_it_could_not():
    rng = np.random.default_rng(7)
    samples = rng.normal(0, 0.03, (28, 3))
    together = _halves(pairwise(samples, 0.95))
    alone = np.median([_halves(pairwise(samples[start:start + 9], 0.95 ** (36 / 378))) for start in (0, 9, 18)])
    assert together < 0.22 < 0.3 < alone


def test_few_subjects_borrow_nothing():
    variance = np.full(FEWEST_SUBJECTS - 1, 0.01)
    assert borrowed(variance, np.full(len(variance), 2.0))[1].tolist() == [2.0] * len(variance)


def test_unlike_spreads_borrow_nothing():
    variance = np.geomspace(1e-8, 1, 20)
    found, freedom = borrowed(variance, np.full(20, 2.0))
    assert np.array_equal(found, variance) and set(freedom) == {2.0}


def test_alike_spreads_are_drawn_to_the_common_one():
    rng = np.random.default_rng(8)
    variance = 0.01 * rng.chisquare(4, 200) / 4
    found, freedom = borrowed(variance, np.full(200, 4.0))
    assert np.ptp(np.log(found)) < np.ptp(np.log(variance)) / 2
    assert np.median(found) == pytest.approx(0.01, rel=0.2) and freedom[0] > 10
    order = np.argsort(variance)
    assert np.array_equal(np.argsort(found), order)


def test_the_estimate_recovers_the_distribution_that_the_spreads_came_from():
    """Variances from a scaled inverse chi-squared distribution with 6 degrees of freedom (Smyth 2004, section 4)."""
    rng = np.random.default_rng(9)
    true = 0.02 * 6 / rng.chisquare(6, 5000)
    variance = true * rng.chisquare(4, 5000) / 4
    _, freedom = borrowed(variance, np.full(5000, 4.0))
    assert freedom[0] - 4 == pytest.approx(6, rel=0.25)  # a margin on the safe side is taken


def test_a_subject_that_is_known_exactly_neither_gives_nor_takes():
    rng = np.random.default_rng(10)
    samples = [*rng.normal(0, 0.05, (12, 3)), np.zeros(3)]
    known = spreads(samples)
    assert known.variance[-1] == 0 and known.freedom[-1] == 2
    assert np.array_equal(known.variance[:-1], spreads(samples[:-1]).variance)


def test_a_floor_keeps_equal_counts_from_being_known_exactly():
    equal = [np.log([5.0] * 3), np.log([4.0] * 3), np.log([40.0] * 3)]
    floors = [1 / 12 / n**2 for n in (5, 4, 40)]
    exact, rounded = pairwise(equal, 0.95), pairwise(equal, 0.95, floors)
    assert exact.p[0, 1] == 0 and rounded.p[0, 1] > 0.01
    assert not rounded.worse(0.95, 0.05)[0, 1] and rounded.worse(0.95, 0.05)[2, 0]


def test_chosen_comparisons_are_adjusted_for_themselves_alone():
    rng = np.random.default_rng(11)
    samples = rng.normal(0, 0.1, (6, 5))
    one = chosen(samples, [(0, 1)], 0.95)
    assert one.p[0] == pytest.approx(pairwise(samples[:2], 0.95).p[0, 1])
    several = chosen(samples, [(0, place) for place in range(1, 6)], 0.95)
    assert several.p[0] == pytest.approx(1 - (1 - one.p[0]) ** 5)
    assert several.p[0] == pytest.approx(chosen(samples, [(0, 1)], 0.95, family=5).p[0])


@pytest.mark.parametrize("spread", [(0.03,) * 7, (0.1, *[0.02] * 6), (0.01, *[0.1] * 6)])
def test_settings_that_do_nothing_rarely_gain_or_lose(spread):
    rng = np.random.default_rng(12)
    with_default = [(0, n) for n in range(1, 7)]
    wrong = sum(bool((chosen([rng.normal(0, s, 3) for s in spread], with_default, 0.95).p < 0.05).any())
                for _ in range(400))
    assert wrong / 400 < 0.09


def test_trigamma_is_the_derivative_that_the_estimate_inverts():
    from spindlemark.findings.spreads import _inverse_trigamma

    for x in (0.3, 1.0, 7.0, 500.0):
        assert _inverse_trigamma(float(special.polygamma(1, x))) == pytest.approx(x, rel=1e-6)
    assert _inverse_trigamma(-1.0) == 1e6
