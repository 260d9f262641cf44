"""Advice: scores, probabilities, options and what is said about them."""

from pathlib import Path

import numpy as np
import pytest

import factory
from findings_data import DECLARED, Lab, run
from spindlemark.analysis import findings
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.core.errors import UserError
from spindlemark.core.paths import CONFIG

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def _times(factor: float, n: int = 5, noise: float = 0.02, seed: int = 1) -> dict[str, list[float]]:
    rng = np.random.default_rng((seed, int(factor * 1000)))
    return {step: (factor * np.exp(rng.normal(0, noise, n))).tolist() for step in STEPS}


def test_a_clear_winner_is_recommended_and_its_rivals_costs_are_told(lab, snapshot):
    for subject, factor in (("ext4", 1.0), ("xfs", 1.3), ("ext3", 1.6), ("btrfs", 2.0)):
        lab.measured(subject, _times(factor))
    advice = lab.group().recommendation
    assert advice.verdict == "better" and [o.configuration for o in advice.options] == ["ext4", "xfs", "ext3"]
    assert [o.verdict for o in advice.options] == [None, "better", "better"] and advice.first == ["ext4"]
    assert [o.tier for o in advice.options] == [1, 2, 3]
    snapshot(advice.statements, "statements")
    snapshot({option.configuration: option.costs for option in advice.options}, "costs")


def test_equivalent_is_an_answer(lab, snapshot):
    for seed, subject in enumerate(("ext4", "xfs", "ext3")):
        lab.measured(subject, _times(1.0, noise=0.01, seed=seed))
    advice = lab.group().recommendation
    assert advice.verdict == "equivalent" and set(advice.first) == {"ext4", "xfs", "ext3"} and advice.need is None
    snapshot(advice.statements[0])


def test_undecided_says_what_would_decide_it(lab, snapshot):
    for seed, (subject, factor) in enumerate((("ext4", 1.0), ("xfs", 1.3))):
        lab.measured(subject, _times(factor, noise=0.3, seed=seed))
    advice = lab.group().recommendation
    assert advice.verdict == "undecided" and {option.tier for option in advice.options} == {1}
    snapshot(advice.statements[0])
    assert advice.need.rounds > 0 and f"About {advice.need.rounds} more rounds (" in advice.statements[0]


def test_undecided_names_who_is_beaten_all_the_same(lab, snapshot):
    for seed, (subject, factor) in enumerate((("ext4", 1.0), ("xfs", 1.05), ("btrfs", 2.0))):
        lab.measured(subject, _times(factor, noise=0.08, seed=seed))
    advice = lab.group().recommendation
    assert advice.verdict == "undecided" and advice.first == ["ext4", "xfs"]
    snapshot(advice.statements[0])


def test_the_first_tier_is_beaten_by_nobody(lab):
    """ext4 beats xfs; ext3 is not told from either."""
    for subject, factor, noise in (("ext4", 1.0, 0.02), ("xfs", 2.5, 0.02), ("ext3", 1.5, 0.3)):
        lab.measured(subject, _times(factor, noise=noise, seed=4))
    advice = lab.group().recommendation
    beaten = {pair.worse for pair in advice.pairs if pair.verdict == "better"}
    assert set(advice.first) == set(advice.scores) - beaten and "xfs" not in advice.first


def test_among_equals_the_least_space_is_named_first(lab):
    for subject, space in (("btrfs", 1.012), ("ext4", 1.009), ("xfs", 1.002)):
        lab.measured(subject, {step: [1.0, 1.01, 0.99] for step in STEPS} | {"space_overhead_ratio": [space] * 3})
    advice = lab.group().recommendation
    assert advice.verdict == "equivalent" and advice.options[0].configuration == "xfs"
    assert all(option.verdict == "equivalent" for option in advice.options[1:])


def test_identical_subjects_are_never_said_to_differ(lab):
    for subject in ("ext4", "xfs"):
        lab.measured(subject, {step: [1.0] * 5 for step in STEPS})
    group = lab.group()
    sentences = [
        *group.recommendation.statements,
        *(c for o in group.recommendation.options for c in o.costs),
        *(table.statement for table in group.metrics),
    ]
    assert not any(word in sentence for sentence in sentences for word in ("times as", "is best;", "wins", "worse"))
    assert group.recommendation.verdict == "equivalent"


def test_tasks_are_held_to_their_own_comparisons(lab):
    """More tasks make no interval wider: each task is evidence for itself."""

    def width(values):
        other = Lab(lab.root / str(len(values)))
        for at, subject in enumerate(("ext4", "xfs")):
            other.measured(subject, {step: each[at] for step, each in values.items()})
        (pair,) = next(t for t in other.group().metrics if t.metric == "copy_seconds").pairs
        return np.log(pair.high / pair.low)

    copies = [[1.0, 1.1, 0.9, 1.05], [1.1, 1.0, 1.2, 1.0]]
    one = {"copy_seconds": copies}
    assert width(one | dict.fromkeys(("check_seconds", "delete_seconds"), copies)) == pytest.approx(width(one))


def test_what_all_rounds_say_counts_and_not_what_was_found_earlier(lab):
    """Three rounds told it; three more scatter so much that all of them do not."""
    for subject, factor in (("ext4", 1.0), ("xfs", 2.0)):
        exp = factory.experiment(subject)
        lab.repeated(exp, {step: [factor * x for x in (1.0, 1.01, 0.99 + factor / 50)] for step in STEPS})
        lab.repeated(exp, {step: [3 / factor**2, 1.0, 0.5] for step in STEPS}, change=run(looks=1), first=4)
    assert lab.group().recommendation.verdict == "undecided"


def test_a_task_that_is_too_short_is_not_counted_and_the_sentence_says_so(lab, snapshot):
    for subject, factor in (("ext4", 1.0), ("xfs", 1.5)):
        lab.measured(subject, _times(factor) | {"format_seconds": [0.01 * factor] * 5})
    advice = lab.group().recommendation
    assert {task.task: task.counted for task in advice.tasks} == {
        "copy": True,
        "check": True,
        "delete": True,
        "format": False,
        "space": False,
        "capacity": False,
    }
    assert advice.weighing.tasks == ["copy", "check", "delete"]
    snapshot(advice.statements)


def test_a_subject_that_failed_once_is_not_recommended(lab, snapshot):
    exps = {
        subject: lab.measured(subject, _times(factor))
        for subject, factor in (("ext4", 1.0), ("xfs", 1.5), ("ext3", 2.0))
    }
    lab.without_samples(exps["ext4"], 6, "failed")
    group = lab.group()
    assert "ext4" not in group.recommendation.scores and group.recommendation.options[0].configuration == "xfs"
    snapshot(group.notes)
    assert not any("ext4" in cost for option in group.recommendation.options for cost in option.costs)


def test_an_invalid_repetition_is_not_held_against_a_subject(lab):
    exps = [lab.measured(subject, _times(factor)) for subject, factor in (("ext4", 1.0), ("xfs", 1.5))]
    lab.without_samples(exps[0], 6, "invalid")
    assert lab.group().recommendation.options[0].configuration == "ext4"


@pytest.mark.parametrize(
    ("n", "note"),
    [
        (1, "ext4 is left out of the recommendation: it has 1 sample, and a recommendation needs 3."),
        (2, "No recommendation yet: 2 configurations with 3 repetitions each are needed, and 0 have them."),
    ],
)
def test_no_advice_from_too_few_samples(lab, n, note):
    for subject in ("ext4", "xfs"):
        lab.measured(subject, _times(1.0, n=n))
    group = lab.group()
    assert group.recommendation is None and note in group.notes


def test_no_advice_without_weights(lab, snapshot):
    for subject in ("ext4", "xfs"):
        lab.measured(subject, _times(1.0), library="scores")
    group = lab.group()
    assert group.recommendation is None
    snapshot(group.notes)


def test_the_recipe_holds_the_commands_as_measured(lab):
    factors = factory.experiment("ext4").factors
    chosen = factors["filesystem"] | {"mkfs": ["mkfs.ext4", "-L", "my disk"], "mount": ["noatime", "data=ordered"]}
    lab.measured("ext4", _times(1.0), factors=factors | {"filesystem": chosen, "scheduler": "mq-deadline"})
    plain = factory.experiment("xfs").factors
    lab.measured("xfs", _times(1.5), factors=plain | {"scheduler": "mq-deadline"})
    assert [option.recipe for option in lab.group().recommendation.options] == [
        [
            "mkfs.ext4 -L 'my disk' DEVICE",
            "mount -t ext4 -o noatime,data=ordered DEVICE MOUNT_POINT",
            "echo mq-deadline > /sys/block/DISK/queue/scheduler",
        ],
        ["mkfs.xfs DEVICE", "mount -t xfs DEVICE MOUNT_POINT", "echo mq-deadline > /sys/block/DISK/queue/scheduler"],
    ]


def test_equal_subjects_are_rarely_recommended_over_each_other(lab):
    wrong = 0
    for n in range(12):
        for seed, subject in enumerate(("ext3", "ext4", "xfs", "btrfs")):
            lab.measured(subject, _times(1.0, n=3, noise=0.1, seed=(n + 1) * 10 + seed), method=n + 1)
    for group in lab.findings().groups:
        wrong += group.recommendation.supported
    assert wrong <= 1


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("confidence:", "confidense:", "did you mean confidence"),
        ("session_spread: 0.015", "session_spread: far", "session_spread"),
        ("practical_threshold: 0.10", "practical_threshold: -0.1", "greater than 0"),
    ],
)
def test_a_mistake_in_the_declaration_is_named(tmp_path, old, new, hint):
    text = (CONFIG / "recommendations.yaml").read_text()
    assert old in text
    (tmp_path / "recommendations.yaml").write_text(text.replace(old, new, 1))
    with pytest.raises(UserError, match=f"(?s)recommendations.yaml.*{hint}"):
        findings.load(tmp_path / "recommendations.yaml")


def test_more_draws_than_a_page_can_carry_are_refused():
    with pytest.raises(ValueError, match="draws"):
        Recommendations.model_validate(DECLARED.model_dump() | {"draws": 1_000_000})
