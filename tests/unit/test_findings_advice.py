"""Advice: scores, probabilities, options and what is said about them."""

import json
import math
from pathlib import Path

import factory
import numpy as np
import pytest
from findings_data import DECLARED, Lab
from hypothesis import given, settings
from hypothesis import strategies as st
from spindlemark import families, findings
from spindlemark.declare import load as registry
from spindlemark.errors import UserError
from spindlemark.families import metrics
from spindlemark.findings.advice import resample, weigh
from spindlemark.findings.report import Draws
from spindlemark.findings.settings import Recommendations
from spindlemark.paths import CONFIG
from weighing_cases import cases

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def _times(factor: float, n: int = 5, noise: float = 0.02, seed: int = 1) -> dict[str, list[float]]:
    rng = np.random.default_rng((seed, int(factor * 1000)))
    return {step: (factor * np.exp(rng.normal(0, noise, n))).tolist() for step in STEPS}


def _weigh_like_a_page(draws: dict, weights: list[float]) -> tuple[list[float], list[float]]:
    """The formula in report.Draws with plain double arithmetic, as a script does it."""
    subjects, shares = range(len(draws["subjects"])), [0.0] * len(draws["subjects"])
    for factors, ratios in zip(draws["weight_factor"], draws["log_ratio"], strict=True):
        costs = [0.0 for _ in subjects]
        for s in subjects:
            for t, weight in enumerate(weights):
                costs[s] += weight * factors[t] * ratios[s][t]
        best = [s for s in subjects if costs[s] == min(costs)]
        for s in best:
            shares[s] += 1 / len(best)
    scores = [math.exp(sum(w * draws["point"][s][t] for t, w in enumerate(weights)) / sum(weights)) for s in subjects]
    return scores, [share / len(draws["log_ratio"]) for share in shares]


@pytest.mark.parametrize("case", cases())
def test_a_page_can_reproduce_scores_and_probabilities(case):
    case = json.loads(json.dumps(case))
    scores, chances = _weigh_like_a_page(case["draws"], case["weights"])
    assert case["scores"] == pytest.approx(scores, abs=5.1e-7)
    assert case["probability_best"] == pytest.approx(chances, abs=5.1e-7)


def test_published_figures_follow_from_published_draws(lab):
    for subject, factor in (("ext4", 1.0), ("xfs", 1.03), ("btrfs", 1.5)):
        lab.measured(subject, _times(factor, noise=0.1))
    advice = json.loads(lab.group().recommendation.model_dump_json())
    weights = [task["weight"] for task in advice["tasks"] if task["counted"]]
    scores, chances = _weigh_like_a_page(advice["draws"], weights)
    names = advice["draws"]["subjects"]
    assert [advice["scores"][n] for n in names] == pytest.approx(scores, abs=5.1e-7)
    assert [advice["probability_best"][n] for n in names] == pytest.approx(chances, abs=5.1e-7)
    assert sum(chances) == pytest.approx(1)


def test_scores_worked_out_by_hand():
    values = [np.log([[1.0] * 3, [4.0] * 3]), np.log([[2.0] * 3, [1.0] * 3])]
    draws = Draws(subjects=["a", "b"], tasks=["x", "y"], **resample(values, 100, 0.0, (1,)))
    scores, chances = weigh(draws, [3, 1])
    assert scores == pytest.approx([4 ** 0.25, 2 ** 0.75], abs=1e-3)
    assert chances == [1.0, 0.0]


def test_equal_subjects_share_every_draw():
    values = [np.zeros((2, 4))] * 3
    scores, chances = weigh(Draws(subjects=list("abc"), tasks=["x", "y"], **resample(values, 100, 0.5, (1,))), [1, 2])
    assert scores == [1, 1, 1] and chances == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_a_clear_winner_is_recommended_and_its_rivals_costs_are_told(lab):
    for subject, factor in (("ext4", 1.0), ("xfs", 1.3), ("ext3", 1.6), ("btrfs", 2.0)):
        lab.measured(subject, _times(factor))
    advice = lab.group().recommendation
    assert advice.supported and [o.subject for o in advice.options] == ["ext4", "xfs", "ext3"]
    assert [o.tier for o in advice.options] == [1, 2, 3]
    assert advice.options[0].probability_best == 1.0
    assert advice.statements[0].startswith("ext4 is the best choice here: xfs costs 1.3")
    assert advice.options[0].costs == [
        "No supported cost: nothing else is shown to be better than ext4 in a counted task."]
    assert [cost.split(" ")[0] for cost in advice.options[1].costs] == ["Fill:", "Check:", "Empty:"]
    assert all("times as long as ext4 (95 % interval 1." in cost for cost in advice.options[1].costs)


def test_subjects_that_cannot_be_told_apart_are_not_recommended_over_each_other(lab):
    for seed, subject in enumerate(("ext4", "xfs", "ext3")):
        lab.measured(subject, _times(1.0, noise=0.2, seed=seed))
    advice = lab.group().recommendation
    assert not advice.supported and {option.tier for option in advice.options} == {1}
    assert advice.statements[0].startswith("No supported difference between ")
    chances = [option.probability_best for option in advice.options]
    assert chances == sorted(chances, reverse=True)


def test_identical_subjects_are_never_said_to_differ(lab):
    for subject in ("ext4", "xfs"):
        lab.measured(subject, {step: [1.0] * 5 for step in STEPS})
    group = lab.group()
    sentences = [*group.recommendation.statements, *(c for o in group.recommendation.options for c in o.costs),
                 *(table.statement for table in group.metrics)]
    assert not any(word in sentence for sentence in sentences for word in ("times as", "is best;", "best choice"))
    assert group.recommendation.probability_best == {"ext4": 0.5, "xfs": 0.5}


def test_a_task_that_is_too_short_is_not_counted_and_the_sentence_says_so(lab):
    for subject, factor in (("ext4", 1.0), ("xfs", 1.5)):
        lab.measured(subject, _times(factor) | {"format_seconds": [0.01 * factor] * 5})
    advice = lab.group().recommendation
    assert {task.task: task.counted for task in advice.tasks} == {
        "copy": True, "check": True, "delete": True, "format": False, "space": False, "capacity": False}
    assert advice.draws.tasks == ["copy", "check", "delete"]
    assert any(s.startswith("Format is not counted: the longest median is 15.0 ms") for s in advice.statements)
    assert "Space used is not counted: it was not measured." in advice.statements


def test_a_subject_that_failed_once_is_not_recommended(lab):
    exps = {subject: lab.measured(subject, _times(factor)) for subject, factor in
            (("ext4", 1.0), ("xfs", 1.5), ("ext3", 2.0))}
    lab.without_samples(exps["ext4"], 6, "failed")
    group = lab.group()
    assert "ext4" not in group.recommendation.scores and group.recommendation.options[0].subject == "xfs"
    assert "ext4 is left out of the advice: it failed in 1 of 6 repetitions." in group.notes
    assert not any("ext4" in cost for option in group.recommendation.options for cost in option.costs)


def test_an_invalid_repetition_is_not_held_against_a_subject(lab):
    exps = [lab.measured(subject, _times(factor)) for subject, factor in (("ext4", 1.0), ("xfs", 1.5))]
    lab.without_samples(exps[0], 6, "invalid")
    assert lab.group().recommendation.options[0].subject == "ext4"


@pytest.mark.parametrize(("n", "note"), [(1, "ext4 is left out of the advice: it has 1 sample, and advice needs 3."),
                                         (2, "No advice: 0 subjects can be weighed, and a choice needs 2.")])
def test_no_advice_from_too_few_samples(lab, n, note):
    for subject in ("ext4", "xfs"):
        lab.measured(subject, _times(1.0, n=n))
    group = lab.group()
    assert group.recommendation is None and note in group.notes


def test_no_advice_without_weights(lab):
    for subject in ("ext4", "xfs"):
        lab.measured(subject, _times(1.0), library="scores")
    group = lab.group()
    assert group.recommendation is None and "declares no weights for the library scores" in group.notes[0]


def test_the_recipe_holds_the_commands_as_measured(lab):
    factors = factory.experiment("ext4", variant="noatime").factors
    chosen = factors["filesystem"] | {"mkfs": ["mkfs.ext4", "-L", "my disk"], "mount": ["noatime", "data=ordered"]}
    lab.measured("ext4+noatime", _times(1.0), factors=factors | {"filesystem": chosen, "scheduler": "mq-deadline"})
    plain = factory.experiment("xfs").factors
    lab.measured("xfs", _times(1.5), factors=plain | {"scheduler": "mq-deadline"})
    assert [option.recipe for option in lab.group().recommendation.options] == [
        ["mkfs.ext4 -L 'my disk' DEVICE", "mount -t ext4 -o noatime,data=ordered DEVICE MOUNT_POINT",
         "echo mq-deadline > /sys/block/DISK/queue/scheduler"],
        ["mkfs.xfs DEVICE", "mount -t xfs DEVICE MOUNT_POINT", "echo mq-deadline > /sys/block/DISK/queue/scheduler"]]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.01, 3.0, 1000.0]), st.integers(0, 2))
def test_another_unit_of_one_task_changes_nothing(seed, unit, task):
    rng = np.random.default_rng(seed)
    values = [rng.normal(0, 0.2, (3, 4)) for _ in range(3)]
    other = [each.copy() for each in values]
    for each in other:
        each[task] += np.log(unit)
    one, two = (weigh(Draws(subjects=list("abc"), tasks=list("xyz"), **resample(each, 100, 0.35, (seed,))), [3, 1, 2])
                for each in (values, other))
    assert one[0] == pytest.approx(two[0], abs=2e-4)
    assert one[1] == pytest.approx(two[1], abs=0.02)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.floats(0.01, 10), min_size=2, max_size=2))
def test_scores_start_at_one_and_probabilities_sum_to_one(seed, weights):
    values = [np.random.default_rng((seed, n)).normal(0, 0.2, (2, 3 + n)) for n in range(3)]
    draws = Draws(subjects=list("abc"), tasks=["x", "y"], **resample(values, 100, 0.35, (seed,)))
    scores, chances = weigh(draws, weights)
    assert min(scores) >= 1 and sum(chances) == pytest.approx(1, abs=1e-5)
    assert all(0 <= chance <= 1 for chance in chances)


def test_equal_subjects_are_rarely_recommended_over_each_other(lab):
    wrong = 0
    for n in range(12):
        for seed, subject in enumerate(("ext3", "ext4", "xfs", "btrfs")):
            lab.measured(subject, _times(1.0, n=3, noise=0.1, seed=(n + 1) * 10 + seed), method=n + 1)
    for group in lab.findings().groups:
        wrong += group.recommendation.supported
    assert wrong <= 1


def test_the_declared_weights_fit_the_registry():
    declared = registry()
    assert set(DECLARED.families) == set(families.names())
    for name, family in DECLARED.families.items():
        assert set(family.libraries) == (set(declared.libraries) if name == "filesystem_lifecycle" else {"default"})
        assert {task.metric for task in family.tasks.values()} <= set(metrics(name))
        assert all(metrics(name)[task.metric].better != "none" for task in family.tasks.values())
        assert all(weight.reason for weights in family.libraries.values() for weight in weights.values())


@pytest.mark.parametrize(("old", "new", "hint"), [
    ("confidence:", "confidense:", "did you mean confidence"),
    ("draws: 200", "draws: few", "draws"),
    ("      picture:\n        copy:", "      picture:\n        kopy:", "kopy"),
    ("weight: 4,", "weight: -4,", "greater than 0"),
])
def test_a_mistake_in_the_declaration_is_named(tmp_path, old, new, hint):
    text = (CONFIG / "recommendations.yaml").read_text()
    assert old in text
    (tmp_path / "recommendations.yaml").write_text(text.replace(old, new, 1))
    with pytest.raises(UserError, match=f"(?s)recommendations.yaml.*{hint}"):
        findings.load(tmp_path / "recommendations.yaml")


def test_more_draws_than_a_page_can_carry_are_refused():
    with pytest.raises(ValueError, match="draws"):
        Recommendations.model_validate(DECLARED.model_dump() | {"draws": 1_000_000})
