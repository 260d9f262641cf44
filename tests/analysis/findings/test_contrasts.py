"""Contrasts: what settings, schedulers, kernels and the page cache gain or lose against their baselines."""

import json
from pathlib import Path

import numpy as np
import pytest

import factory
from factory_families import configured, in_machine
from findings_data import Lab
from spindlemark.analysis.findings.model import Contrast, Contrasts

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def _times(factor: float, seed: int, n: int = 5) -> dict[str, list[float]]:
    rng = np.random.default_rng((seed, n))
    return {step: (factor * np.exp(rng.normal(0, 0.02, n))).tolist() for step in STEPS}


def _of(lab: Lab, question: str, baseline: str) -> Contrasts:
    return next(c for c in lab.findings().contrasts if (c.question, c.baseline) == (question, baseline))


def _row(found: Contrasts, subject: str, metric: str | None = None) -> Contrast:
    return next(row for row in found.rows if (row.configuration, row.metric) == (subject, metric))


def test_a_gain_and_a_loss_against_the_filesystems_own_default(lab, snapshot):
    for seed, (subject, factor) in enumerate((("ext4", 1.0), ("xfs", 0.8), ("ext4+m0", 0.8), ("ext4+noatime", 1.25))):
        lab.measured(subject, _times(factor, seed))
    found = _of(lab, "setting", "ext4")
    assert {row.configuration for row in found.rows} == {"ext4+m0", "ext4+noatime"} and found.group == "loop--picture"
    better, worse = _row(found, "ext4+m0"), _row(found, "ext4+noatime", "copy_seconds")
    assert (better.verdict, better.side, better.baseline) == ("better", "gain", "ext4")
    assert 1 < better.low < 1.25 < better.high
    assert (worse.verdict, worse.side) == ("better", "loss") and worse.ratio == pytest.approx(0.8, rel=0.05)
    assert [row.metric for row in found.rows if row.configuration == "ext4+m0"] == [None, *STEPS]
    snapshot([found.statement, better.statement, worse.statement])


def test_a_setting_that_changes_nothing_is_equivalent_to_its_default(lab, snapshot):
    for seed, subject in enumerate(("ext4", "ext4+m0", "xfs")):
        lab.measured(subject, _times(1.0, seed))
    row = _row(_of(lab, "setting", "ext4"), "ext4+m0")
    assert (row.verdict, row.side, row.need) == ("equivalent", "level", None) and row.low < 1 < row.high
    snapshot(row.statement)


def test_what_is_undecided_says_what_would_decide_it(lab):
    rng = np.random.default_rng(3)
    for subject in ("ext4", "ext4+m0"):
        lab.measured(subject, {step: np.exp(rng.normal(0, 0.15, 3)).tolist() for step in STEPS})
    row = _row(_of(lab, "setting", "ext4"), "ext4+m0")
    assert (row.verdict, row.side) == ("undecided", "level") and row.need.rounds > 0 and row.need.seconds > 0
    assert f"About {row.need.rounds} more rounds (" in row.statement


def test_a_figure_that_never_changes_is_said_to_be_the_same(lab, snapshot):
    for subject in ("ext4", "ext4+m0"):
        lab.measured(subject, {"copy_seconds": [1.0] * 3})
    snapshot(_row(_of(lab, "setting", "ext4"), "ext4+m0", "copy_seconds").statement)


def test_a_gain_below_the_practical_threshold_is_none(lab):
    lab.measured("ext4", {"copy_seconds": [1.04] * 3})
    lab.measured("ext4+m0", {"copy_seconds": [1.0] * 3})
    assert _row(_of(lab, "setting", "ext4"), "ext4+m0", "copy_seconds").side == "level"


def test_what_is_too_short_to_tell_has_no_verdict_and_no_ratio(lab, snapshot):
    for subject, seconds in (("ext4", 0.02), ("ext4+m0", 0.09), ("ext4+noatime", 0.8), ("xfs", 2.0)):
        lab.measured(subject, {"copy_seconds": [seconds, seconds * 1.01, seconds * 0.99]})
    found = _of(lab, "setting", "ext4")
    short, longer = _row(found, "ext4+m0", "copy_seconds"), _row(found, "ext4+noatime", "copy_seconds")
    assert (short.verdict, short.side, short.need) == (None, "level", None)
    assert (longer.verdict, longer.side, longer.short) == ("better", "loss", True)
    snapshot([short.statement, longer.statement])


def test_neither_has_any_is_no_ratio_of_one(lab, snapshot):
    for subject, share in (("ext4", 0.0), ("ext4+m0", 0.0), ("ext4+noatime", 1.0)):
        lab.measured(subject, {"copy_seconds": [1.0, 1.01, 0.99], "kill_saved_ratio": [share, share, share]})
    found = _of(lab, "setting", "ext4")
    snapshot([_row(found, name, "kill_saved_ratio").statement for name in ("ext4+m0", "ext4+noatime")])


def test_nothing_is_said_of_a_setting_whose_default_was_not_measured(lab):
    for seed, subject in enumerate(("ext4+m0", "xfs")):
        lab.measured(subject, _times(1.0, seed))
    assert not [c for c in lab.findings().contrasts if c.question == "setting"]


def test_settings_are_adjusted_for_the_comparisons_of_their_question_alone(lab):
    for seed, (subject, factor) in enumerate((("ext4", 1.0), ("ext4+m0", 0.93))):
        lab.measured(subject, _times(factor, seed, 3))
    before = _row(_of(lab, "setting", "ext4"), "ext4+m0")
    lab.measured("jfs", _times(1.0, 4, 3))
    assert _row(_of(lab, "setting", "ext4"), "ext4+m0") == before
    lab.measured("ext4+noatime", _times(3.0, 9, 3))
    after = _row(_of(lab, "setting", "ext4"), "ext4+m0")
    assert after.high - after.low > before.high - before.low


def test_other_metrics_are_shown_and_are_no_answers(lab, snapshot):
    for subject, factor in (("ext4", 1.0), ("ext4+m0", 0.5)):
        lab.measured(subject, _times(factor, 1) | {"mount_seconds": [factor * x for x in (1.0, 1.01, 0.99, 1.0, 1.02)]})
    found = _of(lab, "setting", "ext4")
    assert not _row(found, "ext4+m0", "mount_seconds").primary
    snapshot(found.statement)


def test_what_chance_makes_is_shown_and_has_no_ratio(lab, monkeypatch):
    monkeypatch.setattr(
        "spindlemark.analysis.findings.metric_titles.chance",
        lambda _, metric: "luck" if metric == "mount_seconds" else None,
    )
    for subject, factor in (("ext4", 1.0), ("ext4+m0", 0.5)):
        lab.measured(subject, _times(factor, 1) | {"mount_seconds": [factor * x for x in (1.0, 1.01, 0.99, 1.0, 1.02)]})
    told = {row.metric for row in _of(lab, "setting", "ext4").rows}
    assert "copy_seconds" in told and "mount_seconds" not in told
    table = lab.table("mount_seconds")
    assert (
        not table.ranked
        and not table.pairs
        and table.statement.endswith("is not ranked: luck.")
        and len(table.cells) == 2
    )


def test_another_scheduler_is_a_question_of_its_own(lab):
    for subject, factor in (("xfs", 1.5), ("xfs@bfq", 1.0), ("ext4", 1.4), ("ext4@bfq", 1.4)):
        lab.repeated(configured("filesystem_lifecycle", subject, "picture"), _times(factor, 1))
    found = {c.baseline: c for c in lab.findings().contrasts if c.question == "scheduler"}
    assert {
        base: [(row.configuration, row.side) for row in c.rows if row.metric is None] for base, c in found.items()
    } == {
        "xfs": [("xfs@bfq", "gain")],
        "ext4": [("ext4@bfq", "level")],
    }


def test_a_scheduler_is_part_of_the_configuration_and_stands_beside_the_choice(lab):
    for subject, factor in (("xfs", 1.5), ("xfs@bfq", 1.0), ("ext4", 1.6)):
        lab.repeated(configured("filesystem_lifecycle", subject, "picture"), _times(factor, 1))
    group = lab.group()
    assert group.configurations == ["ext4", "xfs", "xfs@bfq"] and group.candidates == ["ext4", "xfs"]
    assert group.settings["xfs@bfq"].description == "I/O scheduler bfq"
    assert set(group.recommendation.scores) == {"ext4", "xfs"}


def test_the_recipe_mounts_by_the_name_of_the_kernel_module(lab):
    factors = factory.experiment("ext3").factors
    chosen = factors["filesystem"] | {"module": "ext4", "mount": ["noatime"]}
    lab.measured("ext3", _times(1.0, 1), factors=factors | {"filesystem": chosen})
    lab.measured("xfs", _times(1.5, 2))
    assert lab.group().recommendation.options[0].recipe[1] == "mount -t ext4 -o noatime DEVICE MOUNT_POINT"


def _booted(lab: Lab, values: dict[str, list[list[float]]], subjects=("ext4", "xfs")) -> None:
    for testbed, each in values.items():
        for subject, seconds in zip(subjects, each, strict=True):
            lab.repeated(
                in_machine(configured("filesystem_lifecycle", subject, "picture"), testbed),
                {"copy_seconds": seconds, "inodes_created_count": [100.0 + (testbed != "vm")] * len(seconds)},
            )


def _kernels(lab: Lab) -> dict[str, Contrasts]:
    return {c.same: c for c in lab.findings().contrasts if c.question == "kernel"}


def test_what_another_kernel_changed(lab):
    slow, fast = [2.0, 2.02, 1.98, 2.01], [1.0, 1.01, 0.99, 1.0]
    _booted(lab, {"vm-6.12": [fast, slow], "vm": [slow, slow]})
    found = _kernels(lab)
    assert set(found) == {"ext4--picture", "xfs--picture"}
    changed = found["ext4--picture"]
    assert changed.sides == {"6.1.0-test": "vm", "6.12.0-test": "vm-6.12"} and changed.emulated
    assert (changed.baseline, changed.group) == ("6.1.0-test", "vm-6.12--picture")
    row = _row(changed, "6.12.0-test", "copy_seconds")
    assert (row.verdict, row.side) == ("better", "gain") and 1 < row.low < row.ratio < row.high
    assert row.ratio == pytest.approx(2, rel=0.02)
    assert _row(found["xfs--picture"], "6.12.0-test", "copy_seconds").side == "level"
    assert not [row for row in changed.rows if row.metric == "inodes_created_count"]


def test_kernels_of_different_machines_are_not_compared(lab):
    exp = in_machine(configured("filesystem_lifecycle", "ext4", "picture"), "vm-6.12")
    fingerprint = exp.fingerprint | {"machine": exp.fingerprint["machine"] | {"cpus": 64}}
    lab.repeated(exp.model_copy(update={"fingerprint": fingerprint}), {"copy_seconds": [1.0] * 3})
    _booted(lab, {"vm": [[1.0] * 3, [1.0] * 3]})
    assert _kernels(lab) == {}


def test_equal_kernels_are_rarely_said_to_differ(lab):
    rng = np.random.default_rng(3)
    for n in range(12):
        for testbed in ("vm", "vm-6.12"):
            for subject in ("ext3", "ext4", "xfs", "btrfs"):
                exp = in_machine(configured("filesystem_lifecycle", subject, "picture", method=n + 1), testbed)
                lab.repeated(exp, {"copy_seconds": np.exp(rng.normal(0, 0.1, 3)).tolist()})
    found = [c for c in lab.findings().contrasts if c.question == "kernel"]
    # 0.05 of 48 are declared; more than 9 have a chance below 1 in 1000.
    assert len(found) == 48 and sum(any(row.verdict == "better" for row in c.rows) for c in found) <= 9


def test_what_the_page_cache_gains(lab):
    for cache, factor in (("direct", 2.0), ("cached", 1.0)):
        exp = configured("file_creation", "ext4", f"many--{cache}")
        exp = exp.model_copy(update={"factors": exp.factors | {"cache": cache}})
        exp.factors.pop("part2")
        lab.repeated(exp, {"creation_seconds": [factor * x for x in (1.0, 1.02, 0.98)]})
    found = _of(lab, "cache", "direct I/O")
    row = _row(found, "page cache I/O", "creation_seconds")
    assert (row.side, found.group is not None) == ("gain", True) and row.ratio == pytest.approx(2, rel=0.01)


def test_contrasts_are_whole_and_finite(lab):
    for seed, subject in enumerate(("ext4", "ext4+m0", "ext4+noatime")):
        lab.measured(subject, _times(1.0 + seed / 9, seed, 3))
    for found in lab.findings().contrasts:
        assert np.isfinite([x for row in found.rows for x in (row.ratio, row.low, row.high, row.p)]).all()
        assert all(row.low <= row.ratio <= row.high for row in found.rows)
        assert all(row.statement.endswith(".") and "nan" not in row.statement for row in found.rows)
        json.loads(found.model_dump_json())
