"""Robust costs: samples that scatter far more than the others count as far as those do, so that one slow repetition decides nothing."""

from dataclasses import replace

import numpy as np

from spindlemark.analysis.findings.blocks import Matrix

CLIP = 1.5  # standard deviations
FEWEST_FREEDOM = 6  # fewer residuals show no scale to clip at
PASSES = 10
LEAST_KEPT = 0.6  # where more is clipped the scale shows nothing
MAD = 1.4826  # standard deviations of normal samples in their median absolute deviation


def winsorized(matrix: Matrix) -> Matrix:
    """The costs with each residual of the two-way fit drawn to at most CLIP robust standard deviations, fitted again.

    These are the pseudo-values of Huber (1981, sections 6.7 and 7.6): means, differences and variances of them are those of his
    M-estimate, once the variance is multiplied by `inflation`. ISO 13528 (annex C, algorithm A) clips at the same place.
    Samples without rounds, and those that show no scale, stay as they are.
    """
    known = ~np.isnan(matrix.values)
    freedom = _freedom(matrix, known)
    if not matrix.blocked or freedom < FEWEST_FREEDOM or _mostly_equal(matrix):
        return matrix
    now, limit = matrix, 0.0
    for _ in range(PASSES):
        fitted = now.values - now.residuals
        left = (matrix.values - fitted)[known]
        limit = CLIP * MAD * float(np.median(np.abs(left))) * np.sqrt(left.size / freedom)
        now = replace(matrix, values=fitted + np.clip(matrix.values - fitted, -limit, limit))
    kept = float(np.mean(np.abs(left) < limit))
    if kept < LEAST_KEPT:
        return matrix
    parameters = left.size - freedom
    return replace(now, inflation=float((1 + parameters / left.size * (1 - kept) / kept) ** 2 / kept**2))


def _mostly_equal(matrix: Matrix) -> bool:
    """Whether half of all samples are the median of their configuration."""
    rows = matrix.values[matrix.counts > 0]
    return not np.nanmedian(np.abs(rows - np.nanmedian(rows, axis=1, keepdims=True)))


def _freedom(matrix: Matrix, known: np.ndarray) -> int:
    """Samples less the means of configurations and rounds that are fitted to them."""
    fits = len(np.unique(matrix.sessions)) if matrix.fitted.max(initial=0) > 1 else 1
    rounds = int(known.any(axis=0).sum()) - fits
    return int(known.sum() - matrix.fitted.sum()) - rounds
