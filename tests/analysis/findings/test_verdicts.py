"""Verdicts of one group: what would decide what is open, and who stands for those that are equal."""

import numpy as np
import pytest

from spindlemark.analysis.findings.blocks import Matrix
from spindlemark.analysis.findings.comparisons import (
    BETTER,
    EQUIVALENT,
    INCONCLUSIVE,
    Judged,
    Pairs,
    compared,
    judge,
    level_of_best,
)
from spindlemark.analysis.findings.model import Need
from spindlemark.analysis.findings.spreads import pooled
from spindlemark.analysis.findings.verdicts import MOST_ROUNDS, Verdicts, leader, most, need

THRESHOLD = 0.1


def _measured(values: np.ndarray) -> Verdicts:
    """Two subjects."""
    matrix, bounds = Matrix(values, np.zeros(values.shape[1], int), np.zeros(2)), np.array([THRESHOLD])
    pairs = compared(matrix, pooled([matrix])[0], np.array([0]), np.array([1]))
    return Verdicts([(0, 1)], pairs, judge(pairs, bounds, level_of_best(0.95, 2), 0.05), bounds)


def _told(*verdicts: int, differences: tuple[float, ...] = (), n: int = 3) -> Verdicts:
    """Three subjects' comparisons 0-1, 0-2, 1-2 with these verdicts."""
    known = np.array(differences or (-1.0,) * 3)
    nothing = np.full(3, 0.01)
    return Verdicts(
        [(0, 1), (0, 2), (1, 2)],
        Pairs(known, nothing, np.full(3, 8.0), np.full(3, n)),
        Judged(np.array(verdicts), known, known, known, nothing, nothing),
        np.full(3, THRESHOLD),
    )


@pytest.mark.parametrize(("effect", "scatter"), [(0.0, 0.08), (0.4, 0.15)])
def test_the_rounds_that_are_said_to_decide_do_so_in_four_of_five_cases(effect, scatter):
    rng, decided, asked = np.random.default_rng(1), 0, 0
    for _ in range(400):
        first = rng.normal(0, scatter, (2, 5)) + np.array([[0.0], [effect]])
        wanted = need(_measured(first), 0, 10.0)
        if wanted is None or wanted.rounds is None or wanted.rounds > 60:
            continue
        asked += 1
        more = rng.normal(0, scatter, (2, wanted.rounds)) + np.array([[0.0], [effect]])
        decided += _measured(np.hstack([first, more])).judged.verdict[0] != INCONCLUSIVE
    assert asked > 50 and decided / asked > 0.6  # estimates of spread and difference are themselves uncertain


def test_what_is_decided_needs_nothing():
    found = _measured(np.array([[0.0, 0.01, 0.0], [1.0, 1.0, 1.02]]))
    assert found.judged.verdict[0] == BETTER and need(found, 0, 10.0) is None


def test_more_scatter_needs_more_rounds_and_too_many_are_not_offered():
    def rounds(scatter: float) -> int | None:
        values = np.array([[0.0, 0.0, scatter], [0.4, 0.4 + scatter, 0.4]])
        return need(_measured(values), 0, 10.0).rounds

    assert rounds(0.3) < rounds(0.5) <= MOST_ROUNDS and rounds(8.0) is None


def test_what_shares_no_round_needs_as_many_as_tell_a_spread():
    nan = np.nan
    found = _measured(np.array([[0.0, 0.1, nan, nan], [nan, nan, 0.3, 0.2]]))
    assert need(found, 0, 10.0) == Need(rounds=3, seconds=30.0)


def test_all_are_decided_by_the_most_that_any_needs():
    few, many, never = Need(rounds=2, seconds=1), Need(rounds=9, seconds=5), Need(rounds=None, seconds=None)
    assert (most([few, None, many]), most([few, never]), most([None]), most([])) == (many, never, None, None)


def test_one_that_is_beaten_by_nobody_is_better():
    assert leader(_told(BETTER, BETTER, INCONCLUSIVE), [0, 1, 2], [0]) == ("better", 0)


def test_one_that_equals_all_others_of_the_first_stands_for_them():
    """The second equals both; the first and the third are not told apart."""
    assert leader(_told(EQUIVALENT, INCONCLUSIVE, EQUIVALENT), [0, 1, 2], [0, 1, 2]) == ("equivalent", 1)
    assert leader(_told(EQUIVALENT, INCONCLUSIVE, INCONCLUSIVE), [0, 1, 2], [0, 1, 2]) == ("undecided", 0)
    assert leader(_told(EQUIVALENT, BETTER, BETTER), [1, 0, 2], [0, 1]) == ("equivalent", 1)


def test_who_is_beaten():
    beaten = _told(BETTER, INCONCLUSIVE, BETTER, differences=(-1.0, -1.0, 1.0)).beaten(3)
    assert beaten.tolist() == [[False] * 3, [True, False, True], [False] * 3]
