"""Between-session SD: how far the cost of a configuration, relative to the others', moves between sessions."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spindlemark.analysis.findings.blocks import WEIGHTED, Matrix
from spindlemark.analysis.findings.spreads import Between, Spread

if TYPE_CHECKING:
    from spindlemark.analysis.findings.evidence import Evidence

PRIOR_FREEDOM = 4.0  # that the declared spread counts as, next to what the version's own sessions show


def add(evidence: "Sequence[Evidence]", declared: float) -> None:
    """Set `between` of each: per metric the variance between sessions, over all workloads of a question on a testbed.

    The weighted cost is one of them, since a session may move all tasks the same way; what is declared for it is that
    sessions move the tasks independently of each other.

    How far a configuration's mean cost, relative to the others', differs between sessions, less what repetitions explain (a
    one-way analysis of variance by moments), moderated by `declared`, a standard deviation that counts as PRIOR_FREEDOM,
    or by the scatter of repetitions where that is smaller: sessions move what hardly scatters hardly. What never scatters is
    a fact, which no session moves.
    """
    sums: dict[tuple, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for each in evidence:
        for metric, matrix in each.matrices.items():
            if matrix.blocked:
                squares, freedom = between(matrix, each.spreads[metric])
                total = sums[_pool(each, metric)]
                total[0], total[1] = total[0] + squares, total[1] + freedom
    for each in evidence:
        for metric, matrix in each.matrices.items():
            each.between[metric] = _moderated(matrix, _prior(each, metric, declared), sums[_pool(each, metric)])


def between(matrix: Matrix, spread: Spread) -> tuple[float, float]:
    """Sum of squares between sessions less what repetitions explain, and its degrees of freedom; 0 and 0 for one session."""
    parts = matrix.by_session()
    if len(parts) < 2:
        return 0.0, 0.0
    rows = np.flatnonzero(np.all([part.counts > 0 for part in parts], axis=0))
    if len(rows) < 2:
        return 0.0, 0.0
    means = np.stack([part.means[rows] - part.means[rows].mean() for part in parts])
    noise = np.mean([np.nan_to_num(spread.variance[rows]) / part.counts[rows] for part in parts])
    freedom = (len(parts) - 1) * (len(rows) - 1)
    return float(((means - means.mean(axis=0)) ** 2).sum()) - freedom * float(noise), float(freedom)


def _pool(evidence: "Evidence", metric: str) -> tuple[str, str, str, str]:
    return evidence.group.testbed, evidence.group.family, evidence.group.question, metric


def _prior(evidence: "Evidence", metric: str, declared: float) -> float:
    """The declared variance, or that of repetitions where it is smaller; 0 where nothing is known."""
    if metric == WEIGHTED:
        share = np.array(evidence.weights) / sum(evidence.weights)
        return float(share**2 @ [_prior(evidence, each.task.metric, declared) for each in evidence.counted])
    variance = evidence.spreads[metric].variance
    return 0.0 if np.isnan(variance).all() else min(declared**2, float(np.nanmean(variance)))


def _moderated(matrix: Matrix, prior: float, sums: Sequence[float]) -> Between:
    if matrix.exact or not matrix.blocked:
        return Between(0.0, PRIOR_FREEDOM)
    squares, freedom = sums
    return Between(max(0.0, (PRIOR_FREEDOM * prior + squares) / (PRIOR_FREEDOM + freedom)), PRIOR_FREEDOM + freedom)
