"""Cases that a page's script must weigh to the same figures as the words of `Weighing`; made by code, not stored."""

import math

import numpy as np

from spindlemark.analysis.findings.model import Draws, Weighing


def cases() -> list[dict]:
    """Each with `weighing` (as report.Weighing), `weights` per task, and the expected `scores` and `probability_best`.

    The probability is None where nothing is known of sessions.
    """
    rng = np.random.default_rng(7)
    apart, level = rng.uniform(0, 0.4, (4, 3)), np.zeros((3, 3))
    return [
        _case(apart, [4, 2, 0.25], [0.01, 0.02, 0.0]),
        _case(apart, [1, 1, 1], [0.0, 0.0, 0.0]),
        _case(apart, [0.1, 0, 3.7], [0.01, 0.01, 0.01]),
        _case(apart, [4, 2, 0.25], None),
        _case(apart / 100, [4, 2, 0.25], [0.01, 0.02, 0.0]),
        _case(level, [2, 1, 1], [0.0, 0.0, 0.0], noise=0.0),
        _case(apart[:2, :1], [5], [0.04]),
        _case(apart, [4, 2, 0.25], None, moved=[0.001, 0.002, 0.0]),
        *(_case(cost, [4, 2, 0.25], [0.01, 0.02, 0.0], drawn=None) for cost in (apart, apart / 100)),
    ]


def older() -> list[dict]:
    """The same of releases of format 1: each with `draws` (as report.Draws), worked out here by the formula there."""
    rng = np.random.default_rng(8)
    apart = [rng.normal(center, 0.1, 3).tolist() for center in (0.0, 0.05, 0.4, 0.02)]
    return [_older(apart, weights, rng) for weights in ([4, 2, 0.25], [1, 1, 1], [0.1, 0, 3.7])] + [
        _older([[0.0] * 3] * 3, [2, 1, 1], None)
    ]


def _case(
    point: np.ndarray,
    weights: list[float],
    sessions: list[float] | None,
    noise: float = 0.05,
    drawn: float | None = 1.0,
    moved: list[float] | None = None,
) -> dict:
    rng = np.random.default_rng(len(point))
    subjects, tasks = point.shape
    half = rng.normal(0, noise, (tasks, tasks + 2))
    data = Weighing(
        configurations=[f"fs{n}" for n in range(subjects)],
        tasks=[f"task{n}" for n in range(tasks)],
        point=(point - point.min(axis=0)).round(6).tolist(),
        n=[3 + n % 2 for n in range(subjects)],
        covariance=(half @ half.T).round(6).tolist(),
        sessions=sessions,
        moved=moved,
        drawn=drawn,
        thresholds=[0.09531] * tasks,
        critical=3.2,
        normals=rng.standard_t(4, (200, subjects)).round(3).tolist(),
    )
    scores, chances = by_hand(data.model_dump(), weights)
    return {"weighing": data.model_dump(), "weights": weights, "scores": scores, "probability_best": chances}


def _older(point: list[list[float]], weights: list[float], rng: np.random.Generator | None) -> dict:
    count = range(len(point))
    drawn = [[[cost + (rng.normal(0, 0.1) if rng else 0.0) for cost in own] for own in point] for _ in range(200)]
    factor = [[1.0 + (draw + at) % 3 / 4 for at in range(len(weights))] for draw in range(200)]
    data = Draws(
        configurations=[f"fs{n}" for n in count],
        tasks=[f"task{n}" for n in range(len(weights))],
        point=point,
        log_ratio=drawn,
        weight_factor=factor,
    )
    shares = [0.0 for _ in count]
    for factors, ratios in zip(data.weight_factor, data.log_ratio, strict=True):
        costs = [sum(w * f * x for w, f, x in zip(weights, factors, ratios[s], strict=True)) for s in count]
        best = [s for s in count if costs[s] == min(costs)]
        for s in best:
            shares[s] += 1 / len(best)
    scores = [math.exp(sum(w * x for w, x in zip(weights, point[s], strict=True)) / sum(weights)) for s in count]
    return {
        "draws": data.model_dump(),
        "weights": weights,
        "scores": scores,
        "probability_best": [share / len(drawn) for share in shares],
    }


def by_hand(data: dict, weights: list[float]) -> tuple[list[float], list[float] | None]:
    """Scores and chances by the words of Weighing."""
    subjects, tasks, whole = range(len(data["configurations"])), range(len(weights)), sum(weights)
    point = [sum(weights[t] * data["point"][a][t] for t in tasks) / whole for a in subjects]
    scores = [math.exp(value) for value in point]
    if data["sessions"] is None:
        return scores, None
    within = sum(weights[t] * weights[u] * data["covariance"][t][u] for t in tasks for u in tasks) / whole**2
    between = sum((weights[t] / whole) ** 2 * data["sessions"][t] for t in tasks)
    error = [within / data["n"][a] + between for a in subjects]
    if data["drawn"] is None:
        mean = sum(point) / len(point)
        apart = max(0.0, sum((value - mean) ** 2 for value in point) / (len(point) - 1) - sum(error) / len(error))
        kept = [apart / (apart + error[a]) if apart + error[a] else 0.0 for a in subjects]
        centre = [mean + kept[a] * (point[a] - mean) for a in subjects]
        scatter = [math.sqrt(kept[a] * error[a] + between) for a in subjects]
    else:
        middle = sum(sorted(point)[:2]) / 2
        left = [max(0.0, abs(point[a] - middle) - data["drawn"] * math.sqrt(error[a])) for a in subjects]
        centre = [middle + math.copysign(left[a], point[a] - middle) for a in subjects]
        scatter = [math.sqrt(error[a] + between) for a in subjects]
    shares = [0.0 for _ in subjects]
    for normals in data["normals"]:
        costs = [centre[a] + normals[a] * scatter[a] for a in subjects]
        best = [a for a in subjects if costs[a] == min(costs)]
        for a in best:
            shares[a] += 1 / len(best)
    return scores, [share / len(data["normals"]) for share in shares]


def verdict(data: dict, weights: list[float], a: int, b: int) -> str:
    """Of two subjects, by the words of Weighing."""
    tasks, whole = range(len(weights)), sum(weights)
    within = sum(weights[t] * weights[u] * data["covariance"][t][u] for t in tasks for u in tasks) / whole**2
    threshold = sum(weights[t] * data["thresholds"][t] for t in tasks) / whole
    difference = sum(weights[t] * (data["point"][b][t] - data["point"][a][t]) for t in tasks) / whole
    scale = data["scale"] or [1.0] * len(data["n"])
    moved = 2 * sum((weights[t] / whole) ** 2 * data["moved"][t] for t in tasks) if data["moved"] else 0.0
    half = data["critical"] * math.sqrt(within * (scale[a] / data["n"][a] + scale[b] / data["n"][b]) + moved)
    if abs(difference) + half <= threshold:
        return "equivalent"
    if abs(difference) - half <= 0:
        return "undecided"
    return "better" if abs(difference) - half > threshold or data["moved"] is None else "slightly_better"
