"""What a version adds, removes and changes, and how changes read as ratios."""

from dataclasses import replace

import pytest

from plain_groups import findings, group, table
from spindlemark.analysis.findings.model import Contrast, FilesystemSettings, Findings
from spindlemark.site import differences
from spindlemark.site.studies import ratios


def test_what_is_new_is_counted_by_family_testbed_and_base():
    old = findings(group("loop", "filesystem_lifecycle", "picture"))
    tuned = group("loop", "filesystem_lifecycle", "picture", ("ext4", "ext4+m0", "xfs"))
    tuned.settings["ext4+m0"] = FilesystemSettings(filesystem="ext4", variant="m0")
    new = findings(
        tuned,
        group("loop", "aging", "", ("ext4",), "kept_ratio"),
        group("vm", "filesystem_lifecycle", "picture"),
    )
    found = differences.compare(new, old)
    assert found["compared"] == 1 and found["removed"] == [] and found["added_metrics"] == []
    assert [(e["family"], e["testbed"], e["count"]) for e in found["added"]] == [
        ("Aging", "loop", "1 experiment"),
        ("Library types", "loop", "2 experiments"),
        ("Library types", "vm", "1 experiment"),
    ]
    assert found["added"][1]["bases"][0] == {
        "base": "ext4",
        "summary": "1 configuration × 1 workload",
        "names": ["ext4+m0 with picture"],
    }


def test_one_subject_under_two_families_is_not_compared_with_itself():
    new, old = findings(group("loop", "aging", "", metric="m_seconds")), findings(group("loop", "other", ""))
    found = differences.compare(new, old)
    assert found["compared"] == 0 and found["apart"] == [] and len(found["added"]) == len(found["removed"]) == 1


def measured(identity: str, value: float, session: str = "", **facts) -> Findings:
    """One group with one result; `identity` and `session` are what two versions may share."""
    found = group("loop", "aging", "", **facts).model_copy(update={"session": session})
    cell = replace(found.metrics[0].cells[0], identity=identity, median=value, low=value, high=value)
    return findings(found.model_copy(update={"metrics": [found.metrics[0].model_copy(update={"cells": [cell]})]}))


def test_results_of_two_machines_are_no_change_and_both_are_named():
    one, other = ({"machine.cpu": cpu, "kernel": "6.1"} for cpu in ("One", "Other"))
    found = differences.compare(measured("b", 2.0, **other), measured("a", 1.0, **one))
    assert (found["compared"], len(found["changed"]), len(found["apart"])) == (0, 0, 1)
    facts = {f["label"]: (f["old"], f["new"], f["differs"]) for f in found["machines"][0]["facts"]}
    assert facts == {"Processor": ("One", "Other", True), "Kernel": ("6.1", "6.1", False)}


@pytest.mark.parametrize(
    ("new", "old"),
    [(measured("a", 2.0), measured("a", 1.0)), (measured("b", 2.0, "monday"), measured("a", 1.0, "monday"))],
)
def test_results_of_one_identity_or_session_are_compared(new, old):
    found = differences.compare(new, old)
    assert found["compared"] == 1 and [row["verdict"] for row in found["changed"]] == ["worse"]


@pytest.mark.parametrize(("better", "value", "interval"), [("lower", 0.5, "0.45–0.56"), ("higher", 2.0, "1.80–2.20")])
def test_a_gain_reads_as_a_ratio_of_values(better, value, interval):
    gain = Contrast(
        configuration="ext4+m0",
        baseline="ext4",
        metric="m",
        title="M",
        ratio=2.0,
        low=1.8,
        high=2.2,
        p=0.01,
        verdict="better",
        side="gain",
        statement="",
    )
    found = ratios.of_contrast(gain, better, 5)
    assert (found["value"], found["interval"], found["side"], found["n"]) == (value, interval, "better", 5)


def test_nothing_has_no_ratio_to_anything():
    """As requests of a filesystem that reads nothing: neither it nor what stands beside it is drawn as a multiple."""
    medians = {"btrfs": 0.0, "btrfs+single": 0.0, "ext4": 6.0}
    requests = table("m_count", medians, unit="1", primary=False, exact=True)
    assert ratios.ratio(requests, "btrfs", "btrfs+single") is None and ratios.ratio(requests, "ext4", "btrfs") is None
    assert ratios.ratio(requests, "ext4", "ext4")["value"] == 1
