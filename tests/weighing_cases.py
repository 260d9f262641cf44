"""Cases that the page's script must weigh to the same figures as `findings.advice.weigh`; made by code, not stored."""

import numpy as np
from spindlemark.findings.advice import resample, weigh
from spindlemark.findings.report import Draws


def cases() -> list[dict]:
    """Each with `draws` (as report.Draws), `weights` per task, and the expected `scores` and `probability_best`."""
    rng = np.random.default_rng(7)
    apart = [rng.normal(center, 0.1, (3, 5)) for center in (0.0, 0.05, 0.4, 0.02)]
    level = [np.zeros((3, 4)), np.zeros((3, 4)), np.full((3, 4), 0.2)]
    single = [rng.normal(0, 0.2, (1, 3)) for _ in range(2)]
    return [
        _case(apart, [4, 2, 0.25], 0.35),
        _case(apart, [1, 1, 1], 0.0),
        _case(apart, [0.1, 0, 3.7], 0.35),
        _case(level, [2, 1, 1], 0.35),
        _case(single, [5], 1.0),
    ]


def _case(values: list[np.ndarray], weights: list[float], spread: float) -> dict:
    draws = Draws(subjects=[f"fs{n}" for n in range(len(values))], tasks=[f"task{n}" for n in range(len(weights))],
                  **resample(values, 200, spread, (1, 2)))
    scores, chances = weigh(draws, weights)
    return {"draws": draws.model_dump(), "weights": weights, "scores": scores, "probability_best": chances}
