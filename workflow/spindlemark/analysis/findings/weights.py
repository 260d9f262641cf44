"""Weighing: what a page needs to compute an answer with other weights, and the scores under the declared weights."""

from collections.abc import Sequence

import numpy as np

from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.comparisons import concentration, quantile
from spindlemark.analysis.findings.evidence import Evidence
from spindlemark.analysis.findings.model import Weighing

DECIMALS = 6


def weighing(evidence: Evidence, places: Sequence[int], level: float, freedom: float) -> Weighing:
    """The weighing of the configurations at `places`, all of which have every counted task.

    `level`: two-sided error probability of one comparison among all; `freedom` of its spread.
    """
    matrices = [evidence.matrices[each.task.metric] for each in evidence.counted]
    point = np.stack([matrix.means[list(places)] for matrix in matrices], axis=1)
    n = [int(evidence.matrices[each.task.metric].counts[list(places)].min()) for each in evidence.counted]
    return Weighing(
        configurations=[evidence.group.configurations[place].name for place in places],
        tasks=[each.name for each in evidence.counted],
        point=_rounded(point - point.min(axis=0)),
        n=[min(n)] * len(places),
        covariance=_rounded(covariance(evidence)),
        scale=_rounded(_scale(evidence, places)),
        moved=_rounded(_moved(evidence, places)),
        thresholds=_rounded(np.array([each.threshold for each in evidence.counted])),
        critical=round(float(quantile(level / 2, freedom)), DECIMALS),
    )


def _scale(evidence: Evidence, places: Sequence[int]) -> np.ndarray:
    """Of each configuration: the variance of its weighted costs over the mean that `covariance` is scaled to."""
    variance = evidence.spreads[WEIGHTED].variance
    own, mean = variance[[evidence.able.index(place) for place in places]], float(np.nanmean(variance))
    return np.nan_to_num(own / mean, nan=1.0) if mean > 0 else np.ones(len(places))


def _moved(evidence: Evidence, places: Sequence[int]) -> np.ndarray:
    """Per counted task: the variance that sessions add to a mean cost, scaled so that the declared weights give the whole."""
    share = np.array(evidence.weights) / sum(evidence.weights)
    found = np.array([evidence.between[each.task.metric].variance for each in evidence.counted])
    if not found.any():
        found = np.ones(len(share))
    whole = evidence.between[WEIGHTED].variance * _largest(evidence, places)
    return found * whole / float(share**2 @ found)


def _largest(evidence: Evidence, places: Sequence[int]) -> float:
    """The largest share of sessions that are unlike in length, of these configurations; see `concentration`."""
    matrix = evidence.matrices[WEIGHTED]
    known = ~np.isnan(matrix.values[[evidence.able.index(place) for place in places]])
    return float(np.max(concentration(known, matrix.sessions), initial=0.0))


def covariance(evidence: Evidence) -> np.ndarray:
    """Task x task: covariance of the costs of one round, scaled so that the declared weights give the moderated spread."""
    left = [evidence.matrices[each.task.metric].of(evidence.able).residuals for each in evidence.counted]
    whole = ~np.isnan(np.sum(left, axis=0))
    stacked = np.stack([each[whole] for each in left])
    freedom = max(1.0, stacked.shape[1] * (1 - 1 / max(1, whole.sum(axis=1).max(initial=1))))
    found = stacked @ stacked.T / freedom
    share = np.array(evidence.weights) / sum(evidence.weights)
    own = float(share @ found @ share)
    moderated = float(np.nanmean(evidence.spreads[WEIGHTED].variance))
    return found * (moderated / own) if own > 0 and np.isfinite(moderated) else found


def scores(data: Weighing, weights: Sequence[float]) -> list[float]:
    """Score of each configuration, by the formula of `Weighing`. The script of a page computes the same."""
    share = np.array(weights) / sum(weights)
    return np.round(np.exp(np.array(data.point) @ share), DECIMALS).tolist()


def _rounded(values: np.ndarray) -> list:
    return (np.round(values, DECIMALS) + 0.0).tolist()
