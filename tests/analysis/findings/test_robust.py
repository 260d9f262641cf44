"""Robust costs: one slow repetition moves an answer little, and intervals still hold the truth."""

from dataclasses import replace

import numpy as np
import pytest

from spindlemark.analysis.findings.blocks import Matrix, weighted
from spindlemark.analysis.findings.comparisons import compared, quantile
from spindlemark.analysis.findings.robust import winsorized
from spindlemark.analysis.findings.spreads import pooled


def world(rng, rounds=8, slowed=0.0, sessions=1, configurations=3):
    """Equal configurations that scatter by 4 %, in rounds that scatter by 5 %; a share of the samples is slower by a fifth."""
    columns = rounds * sessions
    values = rng.normal(0, 0.04, (configurations, columns)) + rng.normal(0, 0.05, columns)
    values += 0.2 * (rng.random(values.shape) < slowed)
    return Matrix(values, np.repeat(np.arange(sessions), rounds), np.zeros(configurations))


def ends(matrices):
    """Lower and upper end of the 95 % interval of each pair, with spreads borrowed over the matrices."""
    for matrix, spread in zip(matrices, pooled(matrices), strict=True):
        pairs = compared(matrix, spread, np.array([0, 0, 1]), np.array([1, 2, 2]))
        half = quantile(0.025, pairs.freedom) * np.sqrt(pairs.variance)
        yield from zip(pairs.difference - half, pairs.difference + half, strict=True)


def test_one_slow_repetition_moves_the_difference_little():
    calm = world(np.random.default_rng(1), rounds=6)
    slow = replace(calm, values=calm.values + np.array([[0.3, 0, 0, 0, 0, 0], [0] * 6, [0] * 6]))
    moved, drawn = (float(each.means[0] - each.means[1]) for each in (slow, winsorized(slow)))
    before = float(winsorized(calm).means[0] - winsorized(calm).means[1])
    assert moved - before > 0.03 and abs(drawn - before) < 0.02


def test_a_sample_below_the_others_counts_like_one_above():
    matrix = world(np.random.default_rng(2), slowed=0.15)
    mirrored = winsorized(replace(matrix, values=-matrix.values))
    assert mirrored.values == pytest.approx(-winsorized(matrix).values)


@pytest.mark.parametrize("slowed", [0.0, 0.12])
@pytest.mark.parametrize("rounds", [4, 8])
def test_intervals_hold_the_truth(slowed, rounds):
    rng = np.random.default_rng(3)
    found = [each for _ in range(120) for each in ends([winsorized(world(rng, rounds, slowed)) for _ in range(5)])]
    assert np.mean([low <= 0 <= high for low, high in found]) > 0.93


def test_intervals_of_a_noisy_host_are_narrower():
    rng = np.random.default_rng(4)
    worlds = [[world(rng, 12, 0.12) for _ in range(5)] for _ in range(60)]
    raw, drawn = (
        np.mean([high - low for own in worlds for low, high in ends([treat(each) for each in own])])
        for treat in (lambda each: each, winsorized)
    )
    assert drawn < 0.92 * raw


def test_few_rounds_stay_as_they_are():
    for matrix in (world(np.random.default_rng(5), rounds=3), world(np.random.default_rng(5), 6, configurations=2)):
        assert winsorized(matrix) is matrix


def test_samples_without_rounds_stay_as_they_are():
    matrix = replace(world(np.random.default_rng(6)), blocked=False)
    assert winsorized(matrix) is matrix


def test_values_that_hardly_ever_differ_stay_as_they_are():
    values = np.zeros((3, 8))
    values[1, 3] = 0.5
    matrix = Matrix(values, np.zeros(8, int), np.zeros(3))
    assert np.array_equal(winsorized(matrix).values, values)


def test_what_is_missing_stays_missing_and_sessions_keep_their_means():
    matrix = world(np.random.default_rng(7), sessions=2)
    matrix.values[0, 2] = np.nan
    matrix.values[1, 8:] += 0.5  # the second session moves one configuration: no outlier
    drawn = winsorized(matrix)
    assert np.isnan(drawn.values[0, 2]) and np.isnan(drawn.values).sum() == 1
    assert drawn.by_session()[1].means[1] - drawn.by_session()[0].means[1] == pytest.approx(0.5, abs=0.1)


def test_the_weighted_cost_keeps_the_correction():
    rng = np.random.default_rng(8)
    tasks = [winsorized(world(rng, slowed=0.1)) for _ in range(2)]
    assert max(each.inflation for each in tasks) > 1
    whole = weighted(tasks, [3.0, 1.0])
    assert whole.inflation == pytest.approx(0.75 * tasks[0].inflation + 0.25 * tasks[1].inflation)
