"""Supported differences and tiers, against scipy and against cases that can be worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from spindlemark.findings.compare import pairwise, tiers


def _random(seed: int, *shapes: tuple[float, float, int]) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(mean, deviation, n) for mean, deviation, n in shapes]


def test_pairs_are_welch_tests_of_scipy_adjusted_for_all_pairs():
    samples = _random(1, (0, 0.1, 5), (0.2, 0.3, 7), (0.1, 0.05, 3))
    found = pairwise(samples, 0.95)
    for i in range(3):
        for j in range(3):
            if i == j:
                continue
            alone = stats.ttest_ind(samples[i], samples[j], equal_var=False)
            low, high = alone.confidence_interval(0.95 ** (1 / 3))
            assert found.p[i, j] == pytest.approx(1 - (1 - alone.pvalue) ** 3)
            assert (found.low[i, j], found.high[i, j]) == (pytest.approx(low), pytest.approx(high))


def test_two_subjects_need_no_adjustment():
    one, other = _random(2, (0, 1, 4), (1, 1, 6))
    assert pairwise([one, other], 0.9).p[0, 1] == pytest.approx(stats.ttest_ind(one, other, equal_var=False).pvalue)


def test_it_claims_no_more_than_games_howell_from_five_samples_on():
    samples = _random(3, (0, 0.1, 5), (0.15, 0.2, 5), (0.5, 0.1, 5))
    games_howell = stats.tukey_hsd(*samples, equal_var=False)
    interval = games_howell.confidence_interval(0.95)
    found = pairwise(samples, 0.95)
    apart = ~np.eye(3, dtype=bool)
    assert np.all(found.p[apart] >= games_howell.pvalue[apart] - 1e-9)
    assert np.all(found.low[apart] <= interval.low[apart] + 1e-9)


def test_one_sample_tells_nothing():
    found = pairwise([[0.0], [5.0, 5.1], [5.0, 5.2]], 0.95)
    assert np.isnan([found.p[0, 1], found.low[0, 1], found.high[0, 1]]).all()
    assert not np.isnan(found.p[1, 2])
    assert not found.worse(0.95, 0).any()


def test_equal_samples_are_known_exactly():
    found = pairwise([np.log([0.1] * 3), np.log([0.1] * 3), np.log([0.2] * 3)], 0.95)
    assert (found.p[0, 1], found.low[0, 1], found.high[0, 1]) == (1, 0, 0)
    assert found.p[2, 0] == 0 and found.low[2, 0] == found.high[2, 0] == pytest.approx(np.log(2))
    assert found.worse(0.95, 0.05).tolist() == [[False] * 3, [False] * 3, [True, True, False]]


def test_a_difference_below_the_practical_threshold_is_not_supported():
    found = pairwise([np.log([1.0] * 3), np.log([1.04] * 3)], 0.95)
    assert not found.worse(0.95, 0.05).any() and found.worse(0.95, 0.03)[1, 0]


def test_equal_subjects_are_rarely_told_apart():
    rng = np.random.default_rng(4)
    wrong = sum(bool(pairwise([rng.normal(0, s, 3) for s in (0.02, 0.1, 0.3, 0.1)], 0.95).worse(0.95, 0).any())
                for _ in range(400))
    assert wrong / 400 < 0.09  # 0.05 is declared; more than 0.09 has a chance below 1 in 1000


def test_a_subject_that_scatters_stays_in_the_tier_that_it_may_belong_to():
    worse = np.zeros((4, 4), dtype=bool)
    worse[2, 0] = worse[2, 1] = True  # the third is worse than the first two, nothing is known of the last
    assert tiers([0, 1, 2, 3], worse) == [1, 1, 2, 1]


def test_tiers_start_over_with_what_is_left():
    worse = np.tril(np.ones((3, 3), dtype=bool), -1)
    assert tiers([0, 1, 2], worse) == [1, 2, 3]
    assert tiers([0, 1, 2], np.zeros((3, 3), dtype=bool)) == [1, 1, 1]
    assert tiers([], np.zeros((0, 0), dtype=bool)) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.floats(-3, 3), min_size=1, max_size=5), min_size=1, max_size=6))
def test_a_lower_tier_is_supportedly_worse_than_the_first_of_each_higher_tier(samples):
    middle = [float(np.median(values)) for values in samples]
    order = sorted(range(len(samples)), key=lambda place: middle[place])
    worse = pairwise(samples, 0.95).worse(0.95, 0.05)
    found = tiers(order, worse)
    firsts = {tier: next(place for place in order if found[place] == tier) for tier in set(found)}
    assert set(found) == set(range(1, max(found) + 1)) and found[order[0]] == 1
    for place, tier in enumerate(found):
        assert all(worse[place, firsts[higher]] for higher in range(1, tier))
        assert not worse[place, firsts[tier]]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.floats(-3, 3), min_size=2, max_size=5), min_size=2, max_size=4), st.floats(-5, 5))
def test_another_unit_changes_no_difference(samples, shift):
    one, other = pairwise(samples, 0.95), pairwise([np.array(values) + shift for values in samples], 0.95)
    assert np.allclose(one.log_ratio, other.log_ratio, atol=1e-9)
