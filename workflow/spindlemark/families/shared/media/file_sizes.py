"""File sizes that meet a declared count, smallest, largest and total exactly."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spindlemark.families.shared.media.library_factors import check

# Spread of the logarithm of sizes; pictures of all sizes and formats span five orders of magnitude.
LOGNORMAL_SIGMA = 1.1
# Sum of both parameters of the beta distribution: one broad hump.
BETA_CONCENTRATION = 4.0
# Quantiles used to find the location; the few bytes by which the full set then misses are spread over all files.
SEARCH_POINTS = 2048
# Halvings of the range of locations: beyond the precision of a float.
HALVINGS = 60


def sizes(library: dict[str, Any]) -> np.ndarray:
    """Sizes in bytes of the library's files, int64 of shape (files,), in the order in which they are written.

    They are quantiles of a distribution truncated to [smallest, largest], so the set depends on the declared numbers
    alone; the seed only drives the order. Raises UserError when the numbers contradict each other.
    """
    check(library)
    ordered = _ordered(library["shape"], *(library[key] for key in ("files", "smallest", "largest", "total")))
    return np.random.default_rng([library["seed"], 1]).permutation(ordered)


def _ordered(shape: str, files: int, smallest: int, largest: int, total: int) -> np.ndarray:
    if files <= 2 or smallest == largest:
        return np.array([smallest] * (files - 1) + [largest], dtype=np.int64)
    middle = files - 2
    rest = total - smallest - largest
    quantile = _located(shape, smallest, largest, rest / middle, min(middle, SEARCH_POINTS))
    inner = np.rint(quantile(_midpoints(middle))).astype(np.int64).clip(smallest, largest)
    return np.concatenate([[smallest], _settled(inner, rest, smallest, largest), [largest]])


def _midpoints(count: int) -> np.ndarray:
    return (np.arange(count) + 0.5) / count


def _located(shape: str, low: int, high: int, mean: float, points: int) -> Callable[[np.ndarray], np.ndarray]:
    """The quantile function of `shape` on [low, high] whose mean is nearest to `mean` bytes, found by bisection.

    scipy.optimize and scipy.stats would do as well, but each adds a second to the start of a process; scipy.special is
    loaded only here, since most repetitions find their library ready.
    """
    family, first, last = _lognormal(low, high) if shape == "lognormal" else _beta(low, high)
    chances = _midpoints(points)
    for _ in range(HALVINGS):
        location = (first + last) / 2
        if family(location)(chances).mean() < mean:
            first = location
        else:
            last = location
    return family((first + last) / 2)


def _lognormal(low: int, high: int) -> tuple[Callable, float, float]:
    bottom, top = np.log(low), np.log(high)

    def family(location: float) -> Callable[[np.ndarray], np.ndarray]:
        a, b = ((edge - location) / LOGNORMAL_SIGMA for edge in (bottom, top))
        return lambda chance: np.exp(location + LOGNORMAL_SIGMA * _truncated_normal(chance, a, b))

    return family, bottom - 20 * LOGNORMAL_SIGMA, top + 20 * LOGNORMAL_SIGMA


def _truncated_normal(chance: np.ndarray, a: float, b: float) -> np.ndarray:
    """Quantiles of the standard normal distribution truncated to [a, b], in logarithms so that far tails stay exact."""
    from scipy.special import log_ndtr, ndtri_exp

    if a > 0:
        return -_truncated_normal(1 - chance, -b, -a)
    top = log_ndtr(b)
    below = np.exp(log_ndtr(a) - top)
    return ndtri_exp(top + np.log(below + chance * (1 - below)))


def _beta(low: int, high: int) -> tuple[Callable, float, float]:
    from scipy.special import betaincinv

    def family(location: float) -> Callable[[np.ndarray], np.ndarray]:
        a, b = BETA_CONCENTRATION * location, BETA_CONCENTRATION * (1 - location)
        return lambda chance: low + (high - low) * betaincinv(a, b, chance)

    return family, 0.01, 0.99


def _settled(values: np.ndarray, total: int, low: int, high: int) -> np.ndarray:
    """`values` moved within [low, high], each by its share of the room that is left, until they sum to `total`."""
    values = values.copy()
    while missing := total - int(values.sum()):
        room = high - values if missing > 0 else values - low
        share = np.floor(room * (abs(missing) / int(room.sum()))).astype(np.int64)
        if not share.any():
            share = ((room > 0) & (np.cumsum(room > 0) <= abs(missing))).astype(np.int64)
        values += share if missing > 0 else -share
    return values
