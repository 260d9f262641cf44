"""Tables of metrics, worked out by hand for the cases that matter."""

from pathlib import Path

import pytest

import factory
from findings_data import Lab, run
from spindlemark.analysis import database, findings


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def _cell(table, subject):
    return next(cell for cell in table.cells if cell.configuration == subject)


def test_a_clear_winner(lab, snapshot):
    lab.measured("ext4", {"copy_seconds": [2.00, 2.02, 1.98]})
    lab.measured("btrfs", {"copy_seconds": [4.00, 4.02, 3.98]})
    table = lab.table()
    assert [(c.configuration, c.rank, c.tier) for c in table.cells] == [("ext4", 1, 1), ("btrfs", 2, 2)]
    best, other = table.cells
    assert best.ratio == 1 and other.ratio == table.pairs[0].ratio
    assert (best.median, best.low, best.high, best.stable, best.n) == (2.0, 1.98, 2.02, True, 3)
    assert (best.ratio_low, best.ratio_high) == (1.0, 1.0)
    assert 1.9 < other.ratio_low < 2 < other.ratio_high < 2.1
    (pair,) = table.pairs
    assert (pair.better, pair.worse, pair.verdict, pair.primary) == ("ext4", "btrfs", "better", True)
    assert pair.supported and pair.ratio == pytest.approx(2, rel=1e-3) and other.verdict == "better"
    snapshot(table.statement)


def test_a_rate_is_better_when_higher(lab, snapshot):
    lab.measured("ext4", {"copy_seconds": [1.0] * 3, "copy_bytes_per_second": [100.0, 101.0, 99.0]})
    lab.measured("btrfs", {"copy_seconds": [1.0] * 3, "copy_bytes_per_second": [50.0, 50.5, 49.5]})
    table = lab.table("copy_bytes_per_second")
    assert [(c.configuration, c.tier, c.ratio) for c in table.cells] == [("ext4", 1, 1.0), ("btrfs", 2, 2.0)]
    assert not table.primary and not any(pair.supported for pair in table.pairs)
    snapshot(table.statement)


def test_what_no_question_asks_for_says_nothing_of_verdicts(lab):
    for subject, factor in (("ext4", 1), ("xfs", 1.01), ("btrfs", 2)):
        lab.measured(
            subject,
            {
                "copy_seconds": [1.0 * factor, 1.1 * factor, 1.05 * factor],
                "mount_seconds": [1.0 * factor, 1.1 * factor, 1.05 * factor],
            },
        )
    table = lab.table("mount_seconds")
    assert not table.primary and {pair.primary for pair in table.pairs} == {False}
    assert not any(pair.supported or pair.need for pair in table.pairs)
    assert not any(word in table.statement for word in ("equivalent", "too close", "is best", "interval"))
    assert lab.table("copy_seconds").primary


def test_samples_that_overlap_share_a_tier(lab, snapshot):
    lab.measured("ext4", {"copy_seconds": [2.0, 2.6, 2.3]})
    lab.measured("xfs", {"copy_seconds": [2.2, 2.7, 2.5]})
    table = lab.table()
    assert [c.tier for c in table.cells] == [1, 1] and not table.pairs[0].supported
    snapshot(table.statement)
    assert table.cells[1].ratio_low < 1 < table.cells[1].ratio < table.cells[1].ratio_high


def test_scattered_samples_support_nothing_and_are_not_stable(lab):
    lab.measured("ext4", {"copy_seconds": [2.0, 2.1, 2.05]})
    lab.measured("xfs", {"copy_seconds": [2.5, 9.0, 4.0]}, noisy=[2])
    table = lab.table()
    scattered = _cell(table, "xfs")
    assert (scattered.tier, scattered.stable, scattered.noisy) == (1, False, [False, True, False])
    assert _cell(table, "ext4").stable


def test_identical_samples_never_differ(lab, snapshot):
    for subject in ("ext3", "ext4", "xfs"):
        lab.measured(subject, {"copy_seconds": [0.3] * 3})
    table = lab.table()
    assert [(c.rank, c.tier, c.ratio, c.low, c.high) for c in table.cells] == [(1, 1, 1.0, 0.3, 0.3)] * 3
    assert [(p.ratio, p.low, p.high, p.verdict) for p in table.pairs] == [(1, 1, 1, "equivalent")] * 3 and table.exact
    snapshot(table.statement)


def test_an_exact_metric_is_told_apart_without_noise(lab, snapshot):
    for subject, share in (("ext4", 1.0), ("xfs", 1.01), ("btrfs", 1.5)):
        lab.measured(subject, {"copy_seconds": [1.0] * 3, "space_overhead_ratio": [share] * 3})
    table = lab.table("space_overhead_ratio")
    assert [(c.configuration, c.tier) for c in table.cells] == [("ext4", 1), ("xfs", 1), ("btrfs", 2)] and table.exact
    snapshot(table.statement)


def test_a_task_has_a_threshold_of_its_own(lab):
    """3 % more space is more than 2 %, and 3 % more time is what nobody notices."""
    for subject, factor in (("ext4", 1.0), ("xfs", 1.03)):
        lab.measured(subject, {"copy_seconds": [factor] * 3, "space_overhead_ratio": [factor] * 3})
    verdicts = {t.metric: t.pairs[0].verdict for t in lab.group().metrics}
    assert verdicts == {"copy_seconds": "equivalent", "space_overhead_ratio": "better"}


def test_one_sample_has_a_median_and_nothing_more(lab, snapshot):
    lab.measured("ext4", {"copy_seconds": [1.0]})
    lab.measured("btrfs", {"copy_seconds": [9.0]})
    table = lab.table()
    assert [(c.median, c.tier) for c in table.cells] == [(1, 1), (9, 1)]
    assert {(c.n, c.low, c.high, c.stable) for c in table.cells} == {(1, None, None, False)}
    assert table.pairs == [] and table.cells[1].ratio_low is None
    snapshot(table.statement)


def test_two_samples_have_pairs_but_no_interval(lab):
    lab.measured("ext4", {"copy_seconds": [1.0, 1.01]})
    lab.measured("btrfs", {"copy_seconds": [9.0, 9.1]})
    table = lab.table()
    assert [c.low for c in table.cells] == [None, None] and not table.pairs[0].supported
    assert table.pairs[0].low > 8 and lab.group().recommendation is None


def test_a_metric_without_direction_or_with_zeros_has_no_rank(lab, snapshot):
    lab.measured("ext4", {"inodes_created_count": [5] * 3, "format_device_bytes": [0] * 3})
    lab.measured("xfs", {"inodes_created_count": [9] * 3, "format_device_bytes": [7] * 3})
    snapshot({name: lab.table(name).why_unranked for name in ("inodes_created_count", "format_device_bytes")})


def test_only_who_is_chosen_from_has_a_rank_and_the_others_a_ratio_to_the_best_of_them(lab, snapshot):
    for subject, factor in (("ext4", 1.0), ("xfs", 2.0), ("ext4+m0", 0.5)):
        lab.measured(subject, {"copy_seconds": [2.0 * factor, 2.02 * factor, 1.98 * factor]})
    table = lab.table()
    assert [(c.configuration, c.rank, c.tier, c.ratio) for c in table.cells] == [
        ("ext4", 1, 1, 1.0),
        ("xfs", 2, 2, 2.0),
        ("ext4+m0", None, None, 0.5),
    ]
    beside = table.cells[-1]
    assert beside.verdict is None and beside.ratio_low == beside.ratio_high == 0.5
    snapshot(table.statement)


def test_no_ratio_is_between_nothing_and_nothing(lab, snapshot):
    for subject, share in (("ext4", 1.0), ("xfs", 0.0), ("btrfs", 0.0)):
        lab.measured(subject, {"copy_seconds": [1.0, 1.01, 0.99], "kill_saved_ratio": [share] * 3})
    table = lab.table("kill_saved_ratio")
    assert [pair.verdict for pair in table.pairs if "ext4" not in (pair.better, pair.worse)] == [None]
    snapshot(table.note)


def test_one_subject_alone(lab, snapshot):
    lab.measured("ext4", {"copy_seconds": [1.0, 1.1, 1.2]})
    table = lab.table()
    assert [(c.rank, c.tier, c.ratio) for c in table.cells] == [(1, 1, 1.0)] and table.pairs == []
    snapshot(table.statement)


def test_noise_is_marked_in_the_step_and_its_parts_and_in_times_alone(lab):
    metrics = ["copy_seconds", "copy_sync_seconds", "copy_bytes_per_second", "check_seconds", "used_after_copy_bytes"]
    lab.measured("ext4", {metric: [1.0, 1.0] for metric in metrics}, noisy=[2])
    noisy = {table.metric: table.cells[0].noisy for table in lab.group().metrics}
    assert [noisy[metric] for metric in metrics] == [[False, True]] * 3 + [[False, False]] * 2


def test_a_subject_that_failed_sometimes_shows_both_its_samples_and_its_failures(lab):
    exp = lab.measured("ext4", {"copy_seconds": [1.0, 1.1, 1.2]})
    lab.measured("xfs", {"copy_seconds": [1.0, 1.1, 1.2]})
    lab.without_samples(exp, 4, "failed")
    group = lab.group()
    assert (_cell(group.metrics[0], "ext4").n, _cell(group.metrics[0], "ext4").missing) == (3, 1)
    assert [(a.configuration, a.status, a.reason, a.repetitions, a.of) for a in group.absent] == [
        ("ext4", "failed", "made failed by the test", 1, 4)
    ]


def test_an_unsupported_subject_is_listed_and_has_no_cell(lab):
    lab.measured("ext4", {"copy_seconds": [1.0, 1.1, 1.2]})
    lab.without_samples(factory.experiment("jfs"), 1, "unsupported")
    group = lab.group()
    assert group.configurations == ["ext4", "jfs"] and [c.configuration for c in group.metrics[0].cells] == ["ext4"]
    assert [(a.configuration, a.status) for a in group.absent] == [("jfs", "unsupported")]


def test_a_gate_that_did_not_hold_leaves_the_sample_out(lab):
    broken = {"validity": [{"gate": "space", "ok": False, "detail": "97 % full"}]}

    def too_full(record):
        if record.repetition != 2:
            return {}
        return {"validity": [type(record.validity[0])(**gate) for gate in broken["validity"]]}

    lab.measured("ext4", {"copy_seconds": [1.0, 9.0, 1.2]}, change=too_full)
    group = lab.group()
    assert group.metrics[0].cells[0].samples == [1.0, 1.2]
    assert [(a.status, a.reason, a.of) for a in group.absent] == [("invalid", "space: 97 % full", 3)]


@pytest.mark.parametrize("changed", ["testbed", "kernel", "scale", "method", "device"])
def test_what_is_not_comparable_never_meets_in_one_table(lab, changed):
    plain = factory.experiment("xfs")
    fingerprint, factors = plain.fingerprint, plain.factors
    changes = {
        "testbed": {"testbed": "disk"},
        "kernel": {"fingerprint": fingerprint | {"kernel": "7.0"}},
        "device": {"fingerprint": fingerprint | {"device": {"kind": "loop", "bytes": 4 << 30}}},
        "method": {"method": 2},
        "scale": {"factors": factors | {"library": factors["library"] | {"files": 9}}},
    }[changed]
    lab.measured("ext4", {"copy_seconds": [1.0] * 3})
    lab.measured("xfs", {"copy_seconds": [2.0] * 3}, **changes)
    groups = lab.findings().groups
    assert [group.configurations for group in groups] in ([["ext4"], ["xfs"]], [["xfs"], ["ext4"]])
    assert len({group.group for group in groups}) == 2


def test_other_versions_of_the_tools_are_compared_and_the_newest_identity_counts(lab):
    plain = factory.experiment("ext4")
    newer = {"fingerprint": plain.fingerprint | {"tools": {"ext4": "2.0"}}}
    lab.measured("ext4", {"copy_seconds": [1.0] * 3})
    lab.measured("ext4", {"copy_seconds": [5.0] * 4}, **newer)
    lab.measured("xfs", {"copy_seconds": [2.0] * 3})
    group = lab.group()
    assert group.configurations == ["ext4", "xfs"]
    assert _cell(group.metrics[0], "ext4").identity == factory.experiment("ext4", **newer).identity()


def test_a_group_says_what_its_subjects_share(lab):
    lab.measured("ext4", {"copy_seconds": [1.0] * 3})
    group = lab.group()
    assert (group.group, group.library, group.library_factors["files"]) == ("loop--picture", "picture", 10761)
    assert group.conditions["kernel"] == "6.18.0-test" and group.conditions["device.direct_io"] is True
    assert not any("tools" in name for name in group.conditions)


def test_few_samples_are_called_few(lab, snapshot):
    lab.measured("ext4", {"copy_seconds": [1.0, 1.1, 1.9]})
    lab.measured("xfs", {"copy_seconds": [1.0, 1.1, 1.2]}, noisy=[1, 3])
    snapshot(lab.group().notes)


def test_a_better_one_stands_in_no_tier_of_those_not_told_apart(tmp_path):
    database.build(factory.write_all(tmp_path, 3, noise=0.15), tmp_path / "x.duckdb")
    tables = [t for g in findings.compute(tmp_path / "x.duckdb", findings.load(), 0.2).groups for t in g.metrics]
    better = 0
    for table in tables:
        tier = {cell.configuration: cell.tier for cell in table.cells}
        for pair in table.pairs:
            if pair.verdict == "better":
                better += 1
                assert tier[pair.better] < tier[pair.worse]
    assert better > 20


def test_disturbed_samples_are_shown_and_not_compared_where_three_quiet_ones_are_there(lab):
    lab.measured("ext4", {"copy_seconds": [1.0, 1.02, 0.98, 40.0]}, noisy=[4])
    lab.measured("xfs", {"copy_seconds": [2.0, 2.02, 1.98, 2.0]})
    table = lab.table()
    assert table.cells[0].samples == [1.0, 1.02, 0.98, 40.0] and table.pairs[0].supported


def test_a_drift_that_hits_all_alike_hides_no_difference(lab):
    drift = [1.0, 3.0, 0.5, 7.0]
    lab.measured("ext4", {"copy_seconds": [1.00 * d for d in drift]})
    lab.measured("xfs", {"copy_seconds": [d * x for d, x in zip(drift, (1.50, 1.52, 1.48, 1.51), strict=True)]})
    assert lab.table().pairs[0].supported


def test_what_was_never_measured_side_by_side_is_not_compared(lab, snapshot):
    for at, (subject, factor) in enumerate((("ext4", 1.0), ("xfs", 5.0))):
        lab.measured(subject, {"copy_seconds": [factor, factor * 1.01, factor * 0.99]}, change=run(f"run{at}"))
    group = lab.group()
    assert group.metrics[0].pairs == [] and {cell.tier for cell in group.metrics[0].cells} == {1}
    assert group.recommendation is None
    snapshot(group.notes)


def test_a_ratio_is_that_of_the_comparison_wherever_it_is_shown(lab):
    """The medians have another ratio, outside the interval: blocks that were slow for all count in them."""
    lab.measured("ext4", {"copy_seconds": [1.0, 2.0, 1.1]})
    lab.measured("xfs", {"copy_seconds": [1.2, 2.4, 2.2]})
    table = lab.table()
    best, other = table.cells
    (pair,) = table.pairs
    assert other.ratio == pytest.approx(pair.ratio, rel=1e-5) and other.ratio != pytest.approx(
        other.median / best.median
    )
    assert other.ratio_low <= other.ratio <= other.ratio_high
