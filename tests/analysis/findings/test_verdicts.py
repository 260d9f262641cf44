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
    alphas,
    compared,
    judge,
)
from spindlemark.analysis.findings.model import Need
from spindlemark.analysis.findings.spreads import pooled
from spindlemark.analysis.findings.verdicts import MOST_ROUNDS, Verdicts, leader, most, need

THRESHOLD = 0.1


def _measured(values: np.ndarray, looks: np.ndarray) -> Verdicts:
    """Two subjects, judged at each look."""
    matrix = Matrix(values, looks, np.zeros(2))
    spent = alphas(0.95, int(looks.max()) + 1)
    parts = [matrix.before(look) for look in range(1, len(spent) + 1)]
    pairs = [compared(part, pooled([part])[0], np.array([0]), np.array([1])) for part in parts]
    bounds = np.array([THRESHOLD])
    return Verdicts([(0, 1)], pairs[-1], judge(pairs, bounds, spent, 0.05), bounds)


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
def test_the_rounds_that_are_said_to_decide_do_so_about_as_often_as_not(effect, scatter):
    rng, decided, asked = np.random.default_rng(1), 0, 0
    for _ in range(400):
        first = rng.normal(0, scatter, (2, 5)) + np.array([[0.0], [effect]])
        found = _measured(first, np.zeros(5, int))
        wanted = need(found, 0, 10.0, 1, 0.95)
        if wanted is None or wanted.rounds is None or wanted.rounds > 60:
            continue
        asked += 1
        more = rng.normal(0, scatter, (2, wanted.rounds)) + np.array([[0.0], [effect]])
        later = _measured(np.hstack([first, more]), np.repeat([0, 1], [5, wanted.rounds]))
        decided += later.judged.verdict[0] != INCONCLUSIVE
    assert asked > 50 and 0.3 < decided / asked < 0.85


def test_what_is_decided_needs_nothing():
    found = _measured(np.array([[0.0, 0.01, 0.0], [1.0, 1.0, 1.02]]), np.zeros(3, int))
    assert found.judged.verdict[0] == BETTER and need(found, 0, 10.0, 1, 0.95) is None


def test_what_no_number_of_rounds_would_decide_says_so():
    """A difference just as large as the threshold."""
    values = np.array([[0.0, 0.3, -0.3], [THRESHOLD, THRESHOLD - 0.3, THRESHOLD + 0.3]])
    assert need(_measured(values, np.zeros(3, int)), 0, 10.0, 1, 0.95) == Need(rounds=None, seconds=None)


def test_more_looks_and_more_scatter_need_more_rounds():
    def rounds(scatter: float, looks: int) -> int:
        values = np.array([[0.0, 0.0, scatter], [0.4, 0.4 + scatter, 0.4]])
        return need(_measured(values, np.zeros(3, int)), 0, 10.0, looks, 0.95).rounds

    assert rounds(0.3, 1) < rounds(0.5, 1) <= MOST_ROUNDS


def test_what_shares_no_round_needs_as_many_as_tell_a_spread():
    nan = np.nan
    found = _measured(np.array([[0.0, 0.1, nan, nan], [nan, nan, 0.3, 0.2]]), np.zeros(4, int))
    assert need(found, 0, 10.0, 1, 0.95) == Need(rounds=3, seconds=30.0)


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
