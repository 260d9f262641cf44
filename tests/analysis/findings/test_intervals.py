"""Intervals of medians."""

import numpy as np
import pytest
from scipy import stats

from spindlemark.analysis.findings.intervals import RESAMPLES, SEED, coverage_of_range, medians


def test_fewer_than_three_samples_have_no_interval():
    assert medians([[1.0], [1.0, 2.0], []], 0.95) == [None, None, None]


@pytest.mark.parametrize("n", [3, 4, 5])
def test_the_interval_of_few_samples_is_their_range(n):
    values = [3.0, 1.0, 2.0, 5.0, 4.0][:n]
    assert medians([values], 0.95) == [(min(values), max(values))]


def test_equal_samples_have_an_interval_without_width():
    assert medians([[0.1] * 4], 0.95) == [(0.1, 0.1)]


@pytest.mark.parametrize("n", [5, 9, 10, 300])
def test_the_same_as_scipy_gives_for_one_row(n):
    values = np.random.default_rng(n).normal(10, 1, n).round(1)  # with ties
    one = stats.bootstrap(
        (values,),
        np.median,
        method="percentile",
        confidence_level=0.9,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    assert medians([values.tolist()], 0.9)[0] == pytest.approx((one.low, one.high), rel=1e-12)


def test_an_interval_depends_on_its_own_samples_only():
    rows = np.random.default_rng(2).normal(10, 1, (600, 7)).tolist()
    together = medians([[1.0, 2.0, 4.0], *rows], 0.95)
    assert together[1:] == medians(rows[::-1], 0.95)[::-1]
    assert together[-1] == medians(rows[-1:], 0.95)[0]


@pytest.mark.parametrize(("n", "least"), [(3, 0.75), (5, 0.9375), (9, 0.90)])
def test_coverage_is_what_the_notes_say(n, least):
    rows = np.random.default_rng(n).lognormal(0, 0.3, (1500, n))
    covered = np.mean([low <= 1 <= high for low, high in medians(rows.tolist(), 0.95)])
    assert least - 0.035 < covered < 0.99
    if n < 6:
        assert coverage_of_range(n) == least
