"""Weighing: the formulas of Weighing in plain arithmetic, as a page's script has them, give what is published."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from findings_data import Lab
from spindlemark.analysis.findings.model import Draws, Weighing
from spindlemark.analysis.findings.weights import scores
from weighing_cases import by_hand, cases, older, verdict

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


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
    found, chances = by_hand(advice["weighing"], weights)
    names = advice["weighing"]["configurations"]
    assert [advice["scores"][name] for name in names] == pytest.approx(found, abs=5.1e-7)
    assert chances is None and advice["probability_best"] == {}


@pytest.mark.parametrize(
    ("factor", "noise", "expected"),
    [(2.0, 0.02, "better"), (1.1, 0.02, "slightly_better"), (1.0, 0.01, "equivalent"), (1.2, 0.4, "undecided")],
)
def test_with_the_declared_weights_a_page_comes_to_the_published_verdicts(tmp_path, factor, noise, expected):
    advice = _lab(tmp_path, {"ext4": 1.0, "xfs": factor}, noise).group().recommendation
    weights = [task.weight for task in advice.tasks if task.counted]
    assert advice.verdict == expected == verdict(advice.weighing.model_dump(), weights, 0, 1)


def test_scores_worked_out_by_hand():
    data = Weighing.model_validate(cases()[0]["weighing"]).model_copy(
        update={"point": [[0.0, math.log(4)], [math.log(2), 0.0]]}
    )
    assert scores(data, [3, 1]) == pytest.approx([4**0.25, 2**0.75], abs=1e-6)
