"""Gains of tuned configurations, and what else is said of them."""

from pathlib import Path

import factory
import factory_families
import numpy as np
import pytest
from findings_data import Lab
from spindlemark.findings.report import Gain, Group

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def _times(factor: float, seed: int, n: int = 5) -> dict[str, list[float]]:
    rng = np.random.default_rng((seed, n))
    return {step: (factor * np.exp(rng.normal(0, 0.02, n))).tolist() for step in STEPS}


def _of(group: Group, subject: str, metric: str | None = None) -> Gain:
    return next(gain for gain in group.gains if (gain.subject, gain.metric) == (subject, metric))


def test_a_gain_and_a_loss_against_the_filesystems_own_default(lab):
    for seed, (subject, factor) in enumerate((("ext4", 1.0), ("xfs", 0.8), ("ext4+m0", 0.8), ("ext4+noatime", 1.25))):
        lab.measured(subject, _times(factor, seed))
    group = lab.group()
    assert {gain.subject for gain in group.gains} == {"ext4+m0", "ext4+noatime"}
    better, worse = _of(group, "ext4+m0"), _of(group, "ext4+noatime", "copy_seconds")
    assert better.supported and better.low < 1.25 < better.high and better.baseline == "ext4"
    assert better.statement.startswith("All weighted tasks: supported gain by ext4+m0 (no space reserved for root): "
                                       "ext4 costs 1.2")
    assert worse.supported and worse.ratio == pytest.approx(0.8, rel=0.05)
    assert worse.statement.startswith("Fill: supported loss by ext4+noatime (no access times): ext4+noatime takes 1.2")
    assert [gain.metric for gain in group.gains if gain.subject == "ext4+m0"] == [None, *STEPS]


def test_a_setting_that_changes_nothing_has_no_supported_gain(lab):
    for seed, subject in enumerate(("ext4", "ext4+m0", "xfs")):
        lab.measured(subject, _times(1.0, seed))
    gain = _of(lab.group(), "ext4+m0")
    assert not gain.supported and gain.low < 1 < gain.high
    assert "no supported gain or loss by ext4+m0 (no space reserved for root): ext4 costs" in gain.statement


def test_a_figure_that_never_changes_is_said_to_be_the_same(lab):
    for subject in ("ext4", "ext4+m0"):
        lab.measured(subject, {"copy_seconds": [1.0] * 3})
    assert _of(lab.group(), "ext4+m0", "copy_seconds").statement == (
        "Fill: no gain or loss by ext4+m0 (no space reserved for root): the same as ext4 in every repetition.")


def test_a_gain_below_the_practical_threshold_is_not_supported(lab):
    lab.measured("ext4", {"copy_seconds": [1.04] * 3})
    lab.measured("ext4+m0", {"copy_seconds": [1.0] * 3})
    assert not _of(lab.group(), "ext4+m0", "copy_seconds").supported


def test_nothing_is_said_of_a_setting_whose_default_was_not_measured(lab):
    for seed, subject in enumerate(("ext4+m0", "xfs")):
        lab.measured(subject, _times(1.0, seed))
    assert lab.group().gains == []


def test_gains_are_adjusted_for_the_tuned_configurations_alone(lab):
    for seed, (subject, factor) in enumerate((("ext4", 1.0), ("ext4+m0", 0.93))):
        lab.measured(subject, _times(factor, seed, 3))
    alone = _of(lab.group(), "ext4+m0").p
    for seed, subject in enumerate(("xfs", "btrfs", "ext3"), start=2):
        lab.measured(subject, _times(1.0, seed, 3))
    assert _of(lab.group(), "ext4+m0").p == pytest.approx(alone)
    lab.measured("ext4+noatime", _times(1.0, 9, 3))
    assert _of(lab.group(), "ext4+m0").p == pytest.approx(1 - (1 - alone) ** 2, abs=1e-5)


def test_the_recommended_configuration_is_named_in_words_with_its_gain_and_its_recipe(lab):
    for seed, (subject, factor) in enumerate((("ext4", 1.0), ("ext4+m0", 0.7), ("xfs", 1.5))):
        lab.measured(subject, _times(factor, seed))
    group = lab.group()
    advice = group.recommendation
    assert advice.statements[0].startswith("ext4+m0 (no space reserved for root) is the best choice here: ext4 costs")
    assert any(s.startswith("All weighted tasks: supported gain by ext4+m0") for s in advice.statements)
    first = advice.options[0]
    assert (first.configuration.filesystem, first.configuration.variant, first.configuration.scheduler,
            first.configuration.description) == ("ext4", "m0", "none", "no space reserved for root")
    assert group.configurations["xfs"].description == "" and first.configuration == group.configurations["ext4+m0"]


def test_options_are_of_different_filesystems_each_with_its_best_settings(lab):
    for seed, (subject, factor) in enumerate((("ext4", 1.2), ("ext4+m0", 1.0), ("ext4+noatime", 1.1), ("xfs", 1.5))):
        lab.measured(subject, _times(factor, seed))
    advice = lab.group().recommendation
    assert [option.subject for option in advice.options] == ["ext4+m0", "xfs"]
    assert set(advice.scores) == {"ext4", "ext4+m0", "ext4+noatime", "xfs"}


def test_when_no_setting_helps_the_advice_says_so(lab):
    for seed, (subject, factor) in enumerate((("ext4", 1.0), ("ext4+m0", 1.3), ("xfs", 1.5))):
        lab.measured(subject, _times(factor, seed))
    advice = lab.group().recommendation
    assert advice.options[0].subject == "ext4"
    assert ("No supported gain by tuning: none of 1 other configuration of ext4 is shown to be better than its default "
            "over the weighted tasks.") in advice.statements


def test_a_scheduler_is_part_of_the_configuration_and_of_its_recipe(lab):
    lab.repeated(factory_families.configured("filesystem_lifecycle", "xfs", "picture"), _times(1.5, 1))
    lab.repeated(factory_families.configured("filesystem_lifecycle", "xfs@bfq", "picture"), _times(1.0, 2))
    group = lab.group()
    assert group.subjects == ["xfs", "xfs@bfq"]
    assert group.configurations["xfs@bfq"].description == "I/O scheduler bfq"
    assert group.recommendation.options[0].recipe[-1] == "echo bfq > /sys/block/DISK/queue/scheduler"


def test_the_recipe_mounts_by_the_name_of_the_kernel_module(lab):
    factors = factory.experiment("ext3").factors
    chosen = factors["filesystem"] | {"module": "ext4", "mount": ["noatime"]}
    lab.measured("ext3", _times(1.0, 1), factors=factors | {"filesystem": chosen})
    lab.measured("xfs", _times(1.5, 2))
    assert lab.group().recommendation.options[0].recipe[1] == "mount -t ext4 -o noatime DEVICE MOUNT_POINT"


def test_inodes_and_reserved_space_are_told_where_there_is_something_to_say(lab):
    def filled(inodes, reserved):
        return {"copy_seconds": [1.0] * 3, "inodes_created_count": [inodes] * 3, "inodes_needed_count": [1000] * 3,
                "reserved_bytes": [reserved] * 3}

    size = factory.experiment().fingerprint["device"]["bytes"]
    for subject, inodes, reserved in (("ext4", 131072, size // 20), ("ext4+m0", 131072, 0), ("ext4+optimized", 1500, 0),
                                      ("ext4+noatime", 131072, size // 20), ("xfs", 1200, 0)):
        lab.measured(subject, filled(inodes, reserved))
    told = lab.group().observations
    assert [(o.topic, o.subject, o.statement) for o in told] == [
        ("inodes", "ext4", "ext4 offers 131,072 inodes, 131 times as many as the 1,000 that this library needs."),
        ("inodes", "ext4+optimized",
         "ext4+optimized offers 1,500 inodes, 1.50 times as many as the 1,000 that this library needs."),
        ("reserved", "ext4", "ext4 keeps 107 MB back from ordinary users, 5.0 % of the device.")]


@pytest.mark.parametrize(("times", "start"), [
    ((0.03, 0.09), "Making the filesystem takes at most 90.0 ms here, with xfs: no reason to choose, since"),
    ((0.5, 4.0), "Making the filesystem takes 4.00 s with xfs and 500 ms with ext4, 8.00 times as long."),
    ((1.0, 1.0), None),
])
def test_format_times_are_told_when_they_differ_or_do_not_matter(lab, times, start):
    for subject, seconds in zip(("ext4", "xfs"), times, strict=True):
        lab.measured(subject, {"format_seconds": [seconds] * 3, "copy_seconds": [1.0] * 3})
    told = [o.statement for o in lab.group().observations if o.topic == "format"]
    assert (not told) if start is None else told[0].startswith(start)
