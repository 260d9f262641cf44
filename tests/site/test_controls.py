"""The counts of verdicts on controls, whose results are known in advance."""

import numpy as np
import pytest

import factory
from findings_data import Lab
from spindlemark.site import controls, page_parts, query

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path)


def measured(lab, control, factor, seed, noise=0.01):
    """ext4 with a control, or without one, at a multiple of the same times."""
    plain = factory.experiment("ext4", "video")
    name = f"ext4+{control}--video" if control else "ext4--video"
    made = plain.model_copy(
        update={**factory.named(name), "factors": plain.factors | ({"control": control} if control else {})}
    )
    rng = np.random.default_rng(seed)
    lab.repeated(made, {step: (factor * np.exp(rng.normal(0, noise, 7))).tolist() for step in STEPS})


def counted(lab):
    findings = lab.findings()
    with query.connect(lab.root / "x.duckdb") as connection:
        found = controls.build(connection, findings)
    page_parts.checked("controls", found)
    return findings, {row["control"]: row for row in found}


def test_a_twin_is_called_equivalent_and_a_slowdown_is_detected(lab):
    for seed, (control, factor) in enumerate((("", 1.0), ("twin", 1.0), ("slower", 1.1))):
        measured(lab, control, factor, seed)
    lab.measured("xfs", {step: [1.3, 1.31, 1.32] for step in STEPS}, library="video")
    findings, found = counted(lab)
    assert found["twin"]["result"] == "0 of 4 false alarms" and found["twin"]["equivalent"] == 4
    assert found["slower"]["result"] == "4 of 4 detected" and found["slower"]["slower"] == 4
    assert [row["family"] for row in found.values()] == ["Library types"] * 2
    group = next(group for group in findings.groups if group.library == "video")
    assert sorted(group.configurations) == ["ext4", "ext4+slower", "ext4+twin", "xfs"]
    assert group.candidates == ["ext4", "xfs"], "no control can be recommended"


def test_a_twin_that_differs_is_a_false_alarm_and_a_missed_slowdown_is_not_detected(lab):
    for seed, (control, factor) in enumerate((("", 1.0), ("twin", 0.7), ("slower", 1.0))):
        measured(lab, control, factor, seed)
    _, found = counted(lab)
    assert found["twin"]["result"] == "4 of 4 false alarms" and found["twin"]["faster"] == 4
    assert found["slower"]["result"] == "0 of 4 detected"


def test_a_version_without_controls_has_no_rows(lab):
    measured(lab, "", 1.0, 1)
    lab.measured("xfs", {step: [1.3, 1.31, 1.32] for step in STEPS}, library="video")
    assert counted(lab)[1] == {}
