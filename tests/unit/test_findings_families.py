"""Every family: groups, counts of streams, latencies, stability, and kernels."""

import math
from pathlib import Path

import factory
import factory_families
import numpy as np
import pytest
from factory_families import configured, in_machine
from findings_data import Lab
from spindlemark import database, findings
from spindlemark.findings.report import Findings


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture(scope="module")
def everything(tmp_path_factory) -> Findings:
    root = tmp_path_factory.mktemp("families")
    database.build(factory_families.write_families(root, 3, noise=0.1), root / "x.duckdb")
    return findings.compute(root / "x.duckdb", findings.load(), 0.2)


def _streams(lab: Lab, subject: str, counts: list[int], cause: str = "device") -> None:
    exp = configured("concurrent_streams", subject, "25-mbit")
    lab.repeated(exp, {"streams_sustained_count": counts},
                 change=lambda record: {"environment": {"streams.limited_by": cause}})


def test_groups_are_named_after_testbed_family_and_workload(everything):
    assert [(g.group, g.library, g.workload_title) for g in everything.groups] == [
        ("loop--picture", "picture", "Pictures"), ("vm--picture", "picture", "Pictures"),
        ("vm-6.12--picture", "picture", "Pictures"), ("loop--video-hd", "video-hd", "HD video"),
        ("loop--file_creation--large-cached", "large--cached", "large, cached"),
        ("loop--file_creation--many-direct", "many--direct", "many, direct"),
        ("loop--file_creation--one-1gb-direct", "one-1gb--direct", "one 1gb, direct"),
        ("loop--storage_profile", "", ""), ("loop--concurrent_streams--25-mbit", "25-mbit", "25 mbit"),
        ("loop--concurrent_streams--dnxhd-120", "dnxhd-120", "dnxhd 120"), ("loop--aging", "", "")]
    assert all(set(factory_families.SUBJECTS) == set(g.subjects) for g in everything.groups if g.testbed == "loop")


def test_every_family_has_advice_and_gains(everything):
    for group in everything.groups:
        assert group.recommendation is not None, group.notes
        assert {gain.subject for gain in group.gains} == {
            s for s in group.subjects if ("+" in s or "@" in s) and s.split("+")[0].split("@")[0] in group.subjects}


def test_every_number_is_finite_and_every_sentence_is_whole(everything):
    def numbers(value):
        if isinstance(value, dict):
            return [n for each in value.values() for n in numbers(each)]
        if isinstance(value, list):
            return [n for each in value for n in numbers(each)]
        return [value] if isinstance(value, float) else []

    assert all(map(math.isfinite, numbers(everything.model_dump())))
    told = [gain.statement for g in everything.groups for gain in g.gains] + [k.statement for k in everything.kernels]
    assert all(text.endswith(".") and "nan" not in text and "  " not in text for text in told)


def test_more_repetitions_are_asked_for_in_every_family(everything):
    wanted = {cell.identity for cell in findings.unstable(everything, {t.metric for g in everything.groups
                                                                       for t in g.metrics})}
    for group in everything.groups:
        counted = {t.metric for t in group.recommendation.tasks if t.counted}
        cells = [c for t in group.metrics if t.metric in counted for c in t.cells]
        assert wanted & {c.identity for c in cells} == {c.identity for c in cells if not c.stable}
    assert {g.family for g in everything.groups for t in g.metrics for c in t.cells if c.identity in wanted} >= {
        "file_creation", "storage_profile", "concurrent_streams", "aging"}


def test_one_stream_more_is_not_a_supported_difference_of_rounded_counts(lab):
    _streams(lab, "ext4", [5, 5, 5])
    _streams(lab, "xfs", [4, 4, 4])
    table = lab.table("streams_sustained_count")
    assert table.ranked and not table.pairs[0].supported and [c.tier for c in table.cells] == [1, 1]
    assert "ext4 and xfs (medians 4 to 5)" in table.statement


def test_twice_the_streams_are_a_supported_difference(lab):
    _streams(lab, "ext4", [40, 40, 40])
    _streams(lab, "xfs", [20, 20, 20])
    table = lab.table("streams_sustained_count")
    assert [c.tier for c in table.cells] == [1, 2]
    assert "ext4 with 40 is best; ext4 has 2.00 times as many as xfs" in table.statement


def test_a_coarse_search_widens_what_is_known_of_its_count(lab):
    for subject, count in (("ext4", 40), ("xfs", 32)):
        exp = configured("concurrent_streams", subject, "25-mbit")
        exp = exp.model_copy(update={"factors": exp.factors | {"streams": {"resolution": 0.25}}})
        lab.repeated(exp, {"streams_sustained_count": [count] * 3})
    assert not lab.table("streams_sustained_count").pairs[0].supported


def test_no_stream_at_all_is_the_last_place_and_unranks_nobody(lab):
    for subject, counts in (("ext4", [8, 8, 9]), ("xfs", [7, 8, 8]), ("btrfs", [0, 0, 0])):
        _streams(lab, subject, counts)
    table = lab.table("streams_sustained_count")
    assert table.ranked and table.cells[-1].subject == "btrfs" and table.cells[-1].tier == 2
    assert math.isfinite(table.cells[-1].ratio)
    assert findings.unstable(lab.findings(relative_width=0), {"streams_sustained_count"})


def test_a_number_that_was_not_found_is_a_lower_bound(lab):
    for subject in ("ext4", "xfs"):
        _streams(lab, subject, [64] * 3, "most_streams")
    _streams(lab, "btrfs", [20, 21, 20], "processor")
    group = lab.group()
    table = group.metrics[0]
    assert "no supported difference between ext4 and xfs" in table.statement
    assert any("the largest number that was tried still held with ext4 and xfs" in note for note in group.notes)
    assert any("the processor and not the disk ended the search with btrfs" in note for note in group.notes)


def test_one_lower_bound_alone_is_said_to_be_at_least_that(lab):
    _streams(lab, "ext4", [64] * 3, "most_streams")
    _streams(lab, "xfs", [10] * 3)
    assert "ext4 with at least 64 is best" in lab.table("streams_sustained_count").statement


def test_short_latencies_are_ranked_since_they_are_drawn_from_many(lab):
    for subject, seconds in (("ext4", 0.001), ("xfs", 0.003)):
        exp = configured("storage_profile", subject)
        lab.repeated(exp, {"rnd4k_q1t1_read_latency_p99_seconds": [seconds, seconds * 1.01, seconds * 0.99]})
    table = lab.table("rnd4k_q1t1_read_latency_p99_seconds")
    assert table.ranked and [c.subject for c in table.cells] == ["ext4", "xfs"]


def test_a_subject_without_a_check_is_compared_and_left_out_of_the_advice(lab):
    for subject, seconds in (("ext4", 1.0), ("xfs", 1.5), ("nilfs2", 1.2)):
        values = {"copy_seconds": [seconds] * 3, "check_seconds": [seconds] * 3}
        lab.measured(subject, values if subject != "nilfs2" else {"copy_seconds": [seconds] * 3})
    group = lab.group()
    assert len(group.metrics[0].cells) == 3 and set(group.recommendation.scores) == {"ext4", "xfs"}
    assert "nilfs2 is left out of the advice: it has no samples of Check." in group.notes


def _booted(lab: Lab, values: dict[str, list[list[float]]], subjects=("ext4", "xfs")) -> None:
    for testbed, each in values.items():
        for subject, seconds in zip(subjects, each, strict=True):
            lab.repeated(in_machine(configured("filesystem_lifecycle", subject, "picture"), testbed),
                         {"copy_seconds": seconds, "inodes_created_count": [100.0 + (testbed != "vm")] * len(seconds)})


def test_what_another_kernel_changed(lab):
    slow, fast = [2.0, 2.02, 1.98, 2.01], [1.0, 1.01, 0.99, 1.0]
    _booted(lab, {"vm-6.12": [fast, slow], "vm": [slow, slow]})
    change, = lab.findings().kernels
    assert (change.before.testbed, change.before.kernel, change.after.testbed) == ("vm", "6.1.0-test", "vm-6.12")
    assert change.emulated and change.title == "Pictures" and change.after.group == "vm-6.12--picture"
    rows = {(row.subject, row.metric): row for row in change.rows}
    better = rows["ext4", "copy_seconds"]
    assert (better.verdict, better.supported) == ("better", True) and better.low < better.ratio < better.high < 1
    assert better.ratio == pytest.approx(0.5, rel=0.02)
    assert rows["xfs", "copy_seconds"].verdict == "level"
    assert rows["ext4", "inodes_created_count"].verdict == "level"  # by 1 %, below what matters
    assert change.statement.startswith("From kernel 6.1.0-test to 6.12.0-test: 1 supported change in 4 comparisons, "
                                       "1 better; the largest is Copy with ext4, 0.50 times what it was (95 % interval")


def test_a_kernel_that_changed_nothing(lab):
    same = [1.0, 1.02, 0.98]
    _booted(lab, {"vm": [same, same], "vm-6.12": [same, same]})
    change, = lab.findings().kernels
    assert "no supported change in any of 4 comparisons" in change.statement
    assert {row.verdict for row in change.rows} == {"level"}


def test_a_rate_that_rose_is_better_and_its_interval_stands_the_right_way_round(lab):
    for testbed, rate in (("vm", 1.0), ("vm-6.12", 2.0)):
        lab.repeated(in_machine(configured("aging", "ext4"), testbed),
                     {"aged_streams_count": [20 * rate] * 3, "copy_bytes_per_second": [rate, rate * 1.02, rate * 0.99]})
    rows = {row.metric: row for row in lab.findings().kernels[0].rows}
    risen = rows["copy_bytes_per_second"]
    assert risen.verdict == "better" and 1 < risen.low < risen.ratio < risen.high
    assert rows["aged_streams_count"].verdict == "better"


def test_kernels_of_different_machines_are_not_compared(lab):
    exp = in_machine(configured("filesystem_lifecycle", "ext4", "picture"), "vm-6.12")
    machine = exp.fingerprint["machine"] | {"cpus": 64}
    other = exp.model_copy(update={"fingerprint": exp.fingerprint | {"machine": machine}})
    lab.repeated(other, {"copy_seconds": [1.0] * 3})
    _booted(lab, {"vm": [[1.0] * 3, [1.0] * 3]})
    assert lab.findings().kernels == []


def test_equal_kernels_are_rarely_said_to_differ(lab):
    rng = np.random.default_rng(3)
    for n in range(12):
        for testbed in factory_families.VM:
            for subject in ("ext3", "ext4", "xfs", "btrfs"):
                exp = in_machine(configured("filesystem_lifecycle", subject, "picture", method=n + 1), testbed)
                lab.repeated(exp, {"copy_seconds": np.exp(rng.normal(0, 0.1, 3)).tolist()})
    changes = lab.findings().kernels
    assert len(changes) == 12 and sum(any(row.supported for row in c.rows) for c in changes) <= 2


def test_an_emulated_machine_is_said_to_be_one(lab):
    _booted(lab, {"vm": [[1.0] * 3, [1.0] * 3]})
    lab.measured("ext4", {"copy_seconds": [1.0] * 3})
    emulated = {g.testbed: any("emulated machine" in note for note in g.notes) for g in lab.findings().groups}
    assert emulated == {"vm": True, "loop": False}


def test_noise_without_a_step_of_its_name_marks_the_whole_repetition(lab):
    exp = configured("storage_profile", "ext4")
    gate = factory.record(exp).validity[1]
    lab.repeated(exp, {"rnd4k_q1t1_read_latency_p99_seconds": [0.1, 0.1]}, change=lambda record: {
        "validity": [gate.model_copy(update={"step": "profile", "ok": record.repetition != 2})]})
    assert lab.group().metrics[0].cells[0].noisy == [False, True]
