"""Controls of filesystem_lifecycle on a real loop device: a twin is measured as any other, a slowed one a tenth longer."""

import pytest

from families_bed import measured, values
from spindlemark import config
from spindlemark.core.record import read_record
from spindlemark.measure import plan

FACTORS = {"filesystem": ["ext4"], "library": ["picture"], "control": ["none", "twin", "slower"]}


@pytest.fixture
def specs(bed):
    """Control, or an empty text -> the spec file of its experiment."""
    bed.write("experiments", "filesystem_lifecycle", {"description": "Controls", "sets": [{"factors": FACTORS}]})
    made, found = plan.make(config.load(bed.root / "config"), plan.Request(profile="tiny", testbed=bed.testbed))
    plan.write(made, found, bed.root)
    return {
        spec.experiment.factors.get("control", ""): bed.root / each.spec
        for each, spec in zip(made.experiments, found, strict=True)
    }


def test_a_twin_is_its_original_but_for_a_label(bed, specs):
    original, twin = (read_record_of(bed, specs[control]) for control in ("", "twin"))
    assert (original.status, twin.status) == ("ok", "ok")
    assert twin.identity != original.identity and twin.experiment.experiment == "ext4+twin--picture"
    assert twin.experiment.factors == original.experiment.factors | {"control": "twin"}
    argv = [[command.argv for command in each.commands if command.step != "prepare"] for each in (original, twin)]
    steps = [list(dict.fromkeys(command.step for command in each.commands)) for each in (original, twin)]
    assert steps[0] == steps[1] and argv[0][0][:-1] == argv[1][0][:-1]


def test_each_step_of_a_slowed_repetition_takes_a_tenth_longer(bed, specs):
    record = measured(bed, specs["slower"])
    assert record.status == "ok"
    steps = {step: [c.seconds for c in record.commands if c.step == step] for step in STEPS}
    assert record.environment["control.slowdown"] == 0.1
    waited = record.environment["control.waited_seconds"]
    tenth = sum(map(sum, steps.values())) / 11
    assert 0.95 * tenth <= waited <= tenth + _LATE_SECONDS * len(STEPS), (
        "a tenth of the rest, and a busy processor wakes late"
    )
    found = values(record)
    for step in ("copy", "read", "verify", "delete"):
        assert found[f"{step}_seconds"] == pytest.approx(sum(steps[step]))
    assert found["scan_seconds"] == pytest.approx(sum(steps["scan"]) / len(steps["scan"]))


_LATE_SECONDS = 0.02
STEPS = [
    "format",
    "mount",
    "copy",
    "unmount",
    "check",
    "remount",
    "scan",
    "backup",
    "browse",
    "read",
    "verify",
    "delete",
]  # without seek: the library has no large file


def read_record_of(bed, spec):
    measured(bed, spec)
    return read_record(spec.parent / "rep-1.json")
