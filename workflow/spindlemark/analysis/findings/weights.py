"""Weighing: what a page needs to weigh the tasks again, and the chances under the declared weights."""

import zlib
from collections.abc import Sequence

import numpy as np

from spindlemark.analysis.findings.comparisons import quantile
from spindlemark.analysis.findings.evidence import WEIGHTED, Evidence
from spindlemark.analysis.findings.model import Weighing

SEED = 20261121
DECIMALS = 6
TAILS = 4  # degrees of freedom of the draws: no more is known of the spread between sessions (sessions.PRIOR_FREEDOM)
DRAWN = (
    1.0  # standard errors; groups with one far configuration and two close ones are why no common spread is estimated
)


def weighing(
    evidence: Evidence,
    places: Sequence[int],
    level: float,
    freedom: float,
    sessions: Sequence[float] | None,
    draws: int,
) -> Weighing:
    """The weighing of the configurations at `places`, all of which have every counted task.

    `level`: two-sided error probability of one comparison among all; `freedom` of the spread; `sessions`: per task the
    variance between sessions.
    """
    matrices = [evidence.matrices[each.task.metric] for each in evidence.counted]
    point = np.stack([matrix.means[list(places)] for matrix in matrices], axis=1)
    n = [int(evidence.matrices[each.task.metric].counts[list(places)].min()) for each in evidence.counted]
    rng = np.random.default_rng((SEED, zlib.crc32(evidence.group.group.encode())))
    return Weighing(
        configurations=[evidence.group.configurations[place].name for place in places],
        tasks=[each.name for each in evidence.counted],
        point=_rounded(point - point.min(axis=0)),
        n=[min(n)] * len(places),
        covariance=_rounded(covariance(evidence)),
        sessions=None if sessions is None else _rounded(np.array(sessions)),
        drawn=DRAWN,
        thresholds=_rounded(np.array([each.threshold for each in evidence.counted])),
        critical=round(float(quantile(level / 2, freedom)), DECIMALS),
        normals=np.round(rng.standard_t(TAILS, (draws, len(places))), 3).tolist(),
    )


def covariance(evidence: Evidence) -> np.ndarray:
    """Task x task: covariance of the costs of one round, scaled so that the declared weights give the moderated spread."""
    left = [evidence.matrices[each.task.metric].of(evidence.able).residuals for each in evidence.counted]
    whole = ~np.isnan(np.sum(left, axis=0))
    stacked = np.stack([each[whole] for each in left])
    freedom = max(1.0, stacked.shape[1] * (1 - 1 / max(1, whole.sum(axis=1).max(initial=1))))
    found = stacked @ stacked.T / freedom
    share = np.array(evidence.weights) / sum(evidence.weights)
    own = float(share @ found @ share)
    moderated = float(np.nanmean(evidence.spreads[-1][WEIGHTED].variance))
    return found * (moderated / own) if own > 0 and np.isfinite(moderated) else found


def weigh(data: Weighing, weights: Sequence[float]) -> tuple[list[float], list[float] | None]:
    """Score and probability of being best of each configuration, by the formulas of `report.Weighing`.

    The script of a page computes the same. The probability is None where nothing is known of sessions.
    """
    share = np.array(weights) / sum(weights)
    point = np.array(data.point) @ share
    scores = np.round(np.exp(point), DECIMALS).tolist()
    if data.sessions is None:
        return scores, None
    within, between = share @ np.array(data.covariance) @ share, share**2 @ np.array(data.sessions)
    middle, scatter = _next(point, max(0.0, within) / np.array(data.n) + between, between, data.drawn)
    cost = middle + np.array(data.normals) * scatter
    best = cost == cost.min(axis=1, keepdims=True)
    return scores, np.round((best / best.sum(axis=1, keepdims=True)).mean(axis=0), DECIMALS).tolist()


def _next(point: np.ndarray, error: np.ndarray, between: float, drawn: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Where each configuration's cost is expected the next time, and its scatter; `error`: variance of each point."""
    if drawn is None:
        apart = max(0.0, point.var(ddof=1) - error.mean())
        kept = np.where(apart + error > 0, apart / np.where(apart + error > 0, apart + error, 1), 0.0)
        return point.mean() + kept * (point - point.mean()), np.sqrt(kept * error + between)
    middle = np.sort(point)[:2].mean()
    away = point - middle
    left = np.sign(away) * np.maximum(0.0, np.abs(away) - drawn * np.sqrt(error))
    return middle + left, np.sqrt(error + between)


def _rounded(values: np.ndarray) -> list:
    return (np.round(values, DECIMALS) + 0.0).tolist()
