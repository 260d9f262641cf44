"""Weighing: the formulas of report.Weighing in plain arithmetic, as a page's script has them, give what is published."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from findings_data import Lab
from spindlemark.analysis.findings.model import Draws, Weighing
from spindlemark.analysis.findings.weights import weigh
from weighing_cases import cases, older

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


def _by_hand(data: dict, weights: list[float]) -> tuple[list[float], list[float] | None]:
    """Scores and chances by the words of report.Weighing."""
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


def _verdict(data: dict, weights: list[float], a: int, b: int) -> str:
    """Of two subjects, by the words of report.Weighing."""
    tasks, whole = range(len(weights)), sum(weights)
    within = sum(weights[t] * weights[u] * data["covariance"][t][u] for t in tasks for u in tasks) / whole**2
    threshold = sum(weights[t] * data["thresholds"][t] for t in tasks) / whole
    difference = sum(weights[t] * (data["point"][b][t] - data["point"][a][t]) for t in tasks) / whole
    half = data["critical"] * math.sqrt(within * (1 / data["n"][a] + 1 / data["n"][b]))
    if abs(difference) + half <= threshold:
        return "equivalent"
    return "better" if abs(difference) - half > 0 else "undecided"


@pytest.mark.parametrize("case", cases())
def test_a_page_can_reproduce_scores_and_chances(case):
    case = json.loads(json.dumps(case))
    scores, chances = _by_hand(case["weighing"], case["weights"])
    assert case["scores"] == pytest.approx(scores, abs=5.1e-7)
    assert (case["probability_best"] is None) == (chances is None) == (case["weighing"]["sessions"] is None)
    if chances is not None:
        assert case["probability_best"] == pytest.approx(chances, abs=5.1e-7) and sum(chances) == pytest.approx(1)


def test_cases_of_older_releases_are_whole():
    for case in json.loads(json.dumps(older())):
        Draws.model_validate(case["draws"])
        assert min(case["scores"]) >= math.exp(-1) and sum(case["probability_best"]) == pytest.approx(1)


def _lab(root: Path, factors: dict[str, float], noise: float = 0.02) -> Lab:
    lab = Lab(root)
    for at, (subject, factor) in enumerate(factors.items()):
        rng = np.random.default_rng(at)
        lab.measured(subject, {step: (factor * np.exp(rng.normal(0, noise, 5))).tolist() for step in STEPS})
    return lab


def test_published_figures_follow_from_published_weighing(tmp_path):
    lab = _lab(tmp_path, {"ext4": 1.0, "xfs": 1.3, "btrfs": 2.0})
    advice = json.loads(lab.group().recommendation.model_dump_json())
    weights = [task["weight"] for task in advice["tasks"] if task["counted"]]
    assert advice["weighing"]["tasks"] == [task["task"] for task in advice["tasks"] if task["counted"]]
    scores, chances = _by_hand(advice["weighing"], weights)
    names = advice["weighing"]["configurations"]
    assert [advice["scores"][name] for name in names] == pytest.approx(scores, abs=5.1e-7)
    assert [advice["probability_best"][name] for name in names] == pytest.approx(chances, abs=5.1e-7)


@pytest.mark.parametrize(
    ("factor", "noise", "verdict"), [(2.0, 0.02, "better"), (1.0, 0.01, "equivalent"), (1.2, 0.4, "undecided")]
)
def test_with_the_declared_weights_a_page_comes_to_the_published_verdicts(tmp_path, factor, noise, verdict):
    advice = _lab(tmp_path, {"ext4": 1.0, "xfs": factor}, noise).group().recommendation
    weights = [task.weight for task in advice.tasks if task.counted]
    assert advice.verdict == verdict == _verdict(advice.weighing.model_dump(), weights, 0, 1)


def _plain(point: list[list[float]], sessions: list[float] | None = (0.0, 0.0), covariance: float = 0.0) -> Weighing:
    tasks = len(point[0])
    return Weighing(
        configurations=[str(n) for n in range(len(point))],
        tasks=[str(n) for n in range(tasks)],
        point=point,
        n=[3] * len(point),
        covariance=(np.eye(tasks) * covariance).tolist(),
        sessions=sessions and list(sessions),
        drawn=1.0,
        thresholds=[0.1] * tasks,
        critical=3.0,
        normals=np.random.default_rng(1).standard_t(4, (400, len(point))).tolist(),
    )


def test_scores_worked_out_by_hand():
    scores, chances = weigh(_plain([[0.0, math.log(4)], [math.log(2), 0.0]]), [3, 1])
    assert scores == pytest.approx([4**0.25, 2**0.75], abs=1e-6) and chances == [1.0, 0.0]


def test_equal_subjects_that_never_scatter_share_every_draw():
    assert weigh(_plain([[0.0, 0.0]] * 3), [1, 2]) == ([1, 1, 1], pytest.approx([1 / 3] * 3, abs=1e-6))


def test_what_is_not_known_between_sessions_lowers_the_chance_of_the_first():
    point = [[0.0, 0.0], [0.1, 0.1]]
    sure, less, least = (weigh(_plain(point, [spread**2] * 2, 1e-4), [1, 1])[1][0] for spread in (0.0, 0.05, 0.3))
    assert sure == 1 > less > least > 0.4


def test_one_far_behind_does_not_make_the_lead_of_another_surer():
    """Two that lie close stay so: in groups with an outlier a spread common to all said 90 %, and was right in 50 to 80."""
    close = [[0.0, 0.0], [0.1, 0.1]]
    two, three = (weigh(_plain([*close, *far], [0.0049] * 2), [1, 1])[1][0] for far in ([], [[0.9, 0.9]]))
    older = _plain([*close, [0.9, 0.9]], [0.0049] * 2).model_copy(update={"drawn": None})
    assert three == pytest.approx(two, abs=0.05) and weigh(older, [1, 1])[1][0] > three + 0.1


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.floats(0.01, 10), min_size=2, max_size=2))
def test_scores_start_at_one_and_chances_sum_to_one(seed, weights):
    point = np.random.default_rng(seed).uniform(0, 1, (3, 2))
    scores, chances = weigh(_plain((point - point.min(axis=0)).tolist(), (0.01, 0.02), 0.01), weights)
    assert min(scores) >= 1 and sum(chances) == pytest.approx(1, abs=1e-5)
    assert all(0 <= chance <= 1 for chance in chances)
