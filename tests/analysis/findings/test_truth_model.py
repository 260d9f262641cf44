"""The worlds of the benchmark of truth, in small: what is equal is rarely told apart, and what is there is found."""

import numpy as np
import pytest

import factory
from bench_truth import alarms, found_of_first, wrongly_equal
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings import samples
from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.comparisons import DIFFERENT, EQUIVALENT
from spindlemark.config import questions
from truth_model import World, candidates


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    root = tmp_path_factory.mktemp("truth")
    database.build(factory.write_all(root, 4, noise=0.05), root / "x.duckdb")
    asked = questions.load()
    return World(samples.read(root / "x.duckdb", asked), asked, findings.load(), 7)


def test_equal_subjects_are_rarely_told_apart(world):
    """5 % of 200 answers are declared; more than 20 have a chance below 1 in 1000."""
    judged = [world.judge(world.draw(3)) for _ in range(40)]
    assert sum(len(each) for each in judged) == 200 and max(map(alarms(judged).get, ("answers", "tables"))) <= 0.1


def test_measuring_until_it_is_decided_raises_no_more_alarms(world):
    judged = [world.until_decided((3, 5, 8)) for _ in range(20)]
    assert alarms(judged)["answers"] <= 0.13  # of 100: more than 13 have a chance below 1 in 1000


def test_an_effect_of_half_as_much_again_is_found(world):
    judged = [world.judge(world.draw(5, float(np.log1p(0.5)))) for _ in range(6)]
    assert found_of_first(judged, *DIFFERENT) > 0.9
    assert all(
        v.pairs.difference[at] > 0
        for each in judged
        for _, found in each
        if WEIGHTED in found
        for v in [found[WEIGHTED]]
        for at, pair in enumerate(v.places)
        if pair[0] == 0
    )


def test_what_is_equal_is_found_so_and_what_differs_by_the_threshold_is_not(world):
    assert found_of_first([world.judge(world.draw(12)) for _ in range(4)], EQUIVALENT) > 0.5
    edge = world.declared.log_margin()
    # 5 % of 100 questions; the tasks that do not scatter are not counted.
    assert wrongly_equal([world.judge(world.draw(3, edge)) for _ in range(20)]) <= 0.15


def test_sessions_that_move_costs_raise_no_more_alarms_than_are_declared(world):
    moved = 5 * world.declared.session_spread
    judged = [world.judge(world.sessions(3, moved, 3)) for _ in range(20)]
    assert alarms(judged)["answers"] <= 0.13


def test_only_what_is_open_is_measured_further(world):
    judged = world.judge(world.draw(12, float(np.log1p(0.5))))
    wanted = [(found, candidates(each, found)) for each, found in judged]
    assert any(not places for found, places in wanted if (found[WEIGHTED].judged.verdict != 0).all())
    assert all(0 not in places for found, places in wanted if found[WEIGHTED].beaten(4)[0].any())
