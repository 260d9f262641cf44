"""Between-session SD: how far the cost of a configuration, relative to the others', moves between sessions."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spindlemark.analysis.findings.blocks import Matrix
from spindlemark.analysis.findings.spreads import Between, Spread

if TYPE_CHECKING:
    from spindlemark.analysis.findings.evidence import Evidence

PRIOR_FREEDOM = 4.0  # that the declared spread counts as, next to what the version's own sessions show
WEIGHTED = ""


def add(evidence: "Sequence[Evidence]", declared: float) -> None:
    """Set `between` of each: per metric the variance between sessions, over all workloads of a question on a testbed.

    How far a configuration's mean cost, relative to the others', differs between sessions, less what repetitions explain (a
    one-way analysis of variance by moments), moderated by `declared`, a standard deviation that counts as PRIOR_FREEDOM,
    or by the scatter of repetitions where that is smaller: sessions move what hardly scatters hardly. What never scatters is
    a fact, which no session moves.
    """
    sums: dict[tuple, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for each in evidence:
        for metric, matrix in each.matrices.items():
            if metric != WEIGHTED and matrix.blocked:
                squares, freedom = between(matrix, each.spreads[metric])
                total = sums[_pool(each, metric)]
                total[0], total[1] = total[0] + squares, total[1] + freedom
    for each in evidence:
        for metric, matrix in each.matrices.items():
            if metric != WEIGHTED:
                each.between[metric] = _moderated(matrix, each.spreads[metric], sums[_pool(each, metric)], declared)
        if WEIGHTED in each.matrices:
            each.between[WEIGHTED] = _weighted(each)


def between(matrix: Matrix, spread: Spread) -> tuple[float, float]:
    """Sum of squares between sessions less what repetitions explain, and its degrees of freedom; 0 and 0 for one session."""
    parts = list(matrix.by_session().values())
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


def _moderated(matrix: Matrix, spread: Spread, sums: Sequence[float], declared: float) -> Between:
    known = spread.variance[~np.isnan(spread.variance)]
    if matrix.exact or not matrix.blocked or not len(known):
        return Between(0.0, PRIOR_FREEDOM)
    squares, freedom = sums
    prior = min(declared**2, float(known.mean()))
    return Between(
        max(0.0, (PRIOR_FREEDOM * prior + squares) / (PRIOR_FREEDOM + freedom)),
        PRIOR_FREEDOM + freedom,
    )


def _weighted(evidence: "Evidence") -> Between:
    """Of the weighted cost: sessions move the tasks independently of each other."""
    share = np.array(evidence.weights) / sum(evidence.weights)
    own = [evidence.between[each.task.metric] for each in evidence.counted]
    variance = float(share**2 @ np.array([each.variance for each in own]))
    return Between(variance, min((each.freedom for each in own if each.variance > 0), default=PRIOR_FREEDOM))
