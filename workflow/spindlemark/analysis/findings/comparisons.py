"""Compare: the verdict on each pair of configurations, from the simultaneous interval of their ratio and a margin."""

from typing import NamedTuple

import numpy as np
from scipy import special

from spindlemark.analysis.findings.blocks import Matrix
from spindlemark.analysis.findings.model import Verdict
from spindlemark.analysis.findings.spreads import MOST_FREEDOM, Between, Spread

LARGEST_RATIO = 1e6
INCONCLUSIVE, BETTER, EQUIVALENT, SLIGHTLY = 0, 1, 2, 3
NAMES: tuple[Verdict, ...] = ("undecided", "better", "equivalent", "slightly_better")
DIFFERENT = (BETTER, SLIGHTLY)
# Of each of four planned analyses, as a share of the error rate: 3 % each. Two that are exactly equal are then called different in
# 7 % of cases at most (Pocock 1977); with the margin it is 0.1 to 3.9 % of answers (tests/bench/truth.json).
SHARE_PER_ANALYSIS = 0.6


class Pairs(NamedTuple):
    """Comparisons of costs on the log scale: first minus second, what that scatters, and in how many shared rounds.

    `variance` is NaN where the two share no round, or where their spread is not known; 0 where nothing scatters.
    """

    difference: np.ndarray
    variance: np.ndarray
    freedom: np.ndarray
    n: np.ndarray


class Judged(NamedTuple):
    """Per comparison: its verdict, the difference, its simultaneous interval, p adjusted as it is, and the level of both."""

    verdict: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    level: np.ndarray


def compared(
    matrix: Matrix, spread: Spread, first: np.ndarray, second: np.ndarray, between: Between | None = None
) -> Pairs:
    """Student's t between the rows `first` and `second`: within the rounds that both have, where there are rounds.

    The variance of a difference is that of its rounds, bounded from below by the matrix' floors, plus that of sessions:
    each session moves a configuration's cost by a random amount, which further rounds of the session do not average out.
    The degrees of freedom of the sum are those of Satterthwaite (1946); those of the rounds are of the less known spread,
    not more for two of them: most of both is the same estimate.
    """
    known = ~np.isnan(matrix.values)
    if matrix.blocked:
        shared = known[first] & known[second]
        n = shared.sum(axis=-1)
        apart = np.where(shared, matrix.values[first] - matrix.values[second], 0.0)
        difference = apart.sum(axis=-1) / np.where(n > 0, n, 1)
        sides = n, n
    else:
        shared, sides = np.zeros((*first.shape, 0), bool), (known.sum(axis=1)[first], known.sum(axis=1)[second])
        n = np.minimum(*sides)
        difference = np.nan_to_num(matrix.means[first] - matrix.means[second])
    parts = [
        np.maximum(spread.variance[place] / np.where(count > 0, count, 1), matrix.floors[place])
        for place, count in zip((first, second), sides, strict=True)
    ]
    within = np.where(n > 0, parts[0] + parts[1], np.nan)
    freedom = np.minimum(spread.freedom[first], spread.freedom[second])
    variance = within
    if between is not None and between.variance > 0 and matrix.blocked:
        moved = 2 * between.variance * concentration(shared, matrix.sessions)
        variance = within + moved
        with np.errstate(divide="ignore", invalid="ignore"):
            both = variance**2 / (within**2 / freedom + moved**2 / between.freedom)
        freedom = np.minimum(both, MOST_FREEDOM)
    freedom = np.where(variance == 0, np.inf, freedom)
    # Equal samples differ by what rounding leaves of them, not by anything.
    return Pairs(np.where(np.abs(difference) < 1e-12, 0.0, difference), variance, freedom, n)


def concentration(shared: np.ndarray, sessions: np.ndarray) -> np.ndarray:
    """Sum over sessions of the squared share of rounds: 1 for one session, 1/k for k sessions of equal length."""
    counts = (
        np.stack([shared[..., sessions == each].sum(axis=-1) for each in np.unique(sessions)]) if len(sessions) else 0
    )
    whole = shared.sum(axis=-1)
    return np.where(whole > 0, (np.square(counts).sum(axis=0)) / np.where(whole > 0, whole, 1) ** 2, 1.0)


def level_of_best(confidence: float, candidates: int) -> float:
    """Two-sided error probability of one pair, where the question is only which of the candidates is best.

    Hsu (1984): each candidate is held against the best of the others, so that the error rate is shared by the k - 1
    comparisons with the truly best one and not by all k (k - 1) / 2 pairs. Both sides are held to it, since several may be best.
    """
    return SHARE_PER_ANALYSIS * (1 - confidence) / max(1, candidates - 1)


def level_of_baseline(confidence: float, others: int) -> float:
    """Two-sided error probability of one of several comparisons with the same baseline (Bonferroni)."""
    return SHARE_PER_ANALYSIS * (1 - confidence) / max(1, others)


def judge(pairs: Pairs, margins: np.ndarray, level: float, whole: float) -> Judged:
    """The verdicts of comparisons from their intervals at `level`, a two-sided error probability.

    Equivalent: the interval is within the margin, whether or not it excludes no difference. Better: it is beyond the
    margin. Slightly better: it excludes no difference and reaches into the margin. Inconclusive: anything else. `margins`
    are logarithms; `whole`: the error probability that p is adjusted to.
    """
    known = ~np.isnan(pairs.variance)
    error = np.sqrt(np.where(known, pairs.variance, 0.0))
    half = np.where(error > 0, quantile(level / 2, np.where(known, pairs.freedom, 1.0)) * error, 0.0)
    low, high = (np.where(known, pairs.difference + sign * half, np.nan) for sign in (-1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, np.abs(pairs.difference) / error, np.where(pairs.difference == 0, 0.0, np.inf))
        p = np.minimum(1.0, 2 * special.stdtr(np.where(known, pairs.freedom, 1.0), -t) * whole / level)
        within = (low >= -margins) & (high <= margins)
        beyond, apart = (low > margins) | (high < -margins), (low > 0) | (high < 0)
    verdict = np.select([~known, within, beyond, apart], [INCONCLUSIVE, EQUIVALENT, BETTER, SLIGHTLY], INCONCLUSIVE)
    nothing = np.where(known, 0.0, np.nan)
    return Judged(verdict, pairs.difference + nothing, low, high, p + nothing, level + nothing)


def bounded(log_ratio: np.ndarray, decimals: int) -> list:
    """Ratios from logarithms; an interval that reaches beyond LARGEST_RATIO ends there, since it says nothing more."""
    most = np.log(LARGEST_RATIO)
    return np.round(np.exp(np.clip(log_ratio, -most, most)), decimals).tolist()


def quantile(level: float, freedom: np.ndarray | float) -> np.ndarray:
    """Student's t with the tail probability `level`. As stats.t.isf, which takes a hundred times as long to check its arguments."""
    return -special.stdtrit(freedom, level)


def tiers(beaten: np.ndarray) -> list[int]:
    """Tier of each configuration, 1 is best; `beaten[a, b]`: a is beaten by b.

    Tier 1 is beaten by none; the next tier is beaten only by those before it. One whose samples scatter too
    much for a verdict stays in the higher tier.
    """
    result = np.zeros(len(beaten), int)
    tier = 0
    while not result.all():
        tier += 1
        left = result == 0
        free = left & ~beaten[:, left].any(axis=1)
        result[free if free.any() else left] = tier
    return result.tolist()
