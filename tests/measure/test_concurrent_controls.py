"""Beside whom an experiment is measured, for the questions and experiments that are declared."""

import pytest

from spindlemark import config
from spindlemark.core import paths
from spindlemark.measure import plan


@pytest.fixture(scope="module")
def made():
    planned, _ = plan.make(config.load(), plan.Request(profile="standard", testbed="loop"), paths.ROOT / "nowhere")
    names = {e.identity: e.experiment for e in planned.experiments}
    return {
        (e.family, e.experiment): [[names[i] for i in others] for others in e.controls] for e in planned.experiments
    }


def test_a_contender_is_measured_beside_the_first_of_its_workload(made):
    contenders = ["ext3--video", "ext4--video", "btrfs--video"]
    assert made["filesystem_lifecycle", "xfs--video"] == [contenders]
    assert made["filesystem_lifecycle", "ext3--video"] == [["ext4--video", "xfs--video", "btrfs--video"]], (
        "who stands for the others has others that stand for it"
    )


def test_a_setting_is_measured_beside_the_defaults_of_its_filesystem(made):
    beside = made["filesystem_lifecycle", "xfs+log128m-logbufs8--picture"]
    assert ["xfs--picture"] in beside and not any("ext4+m0--picture" in others for others in beside)


def test_a_scheduler_is_measured_beside_the_usual_one(made):
    assert ["ext4--picture"] in made["filesystem_lifecycle", "ext4@bfq--picture"]


def test_controls_are_measured_next_to_what_they_repeat_and_stand_for_nobody():
    planned, _ = plan.make(config.load(), plan.Request(profile="standard", testbed="loop"), paths.ROOT / "nowhere")
    names = {e.identity: e.experiment for e in planned.experiments}
    own = [e for e in planned.experiments if e.family == "filesystem_lifecycle"]
    others = {e.experiment: [[names[i] for i in each] for each in e.controls] for e in own}
    workloads = {e.experiment: e.workload for e in own}
    for name in ("ext4+twin--video", "ext4+slower--video"):
        assert others[name] == [["ext3--video", "ext4--video", "xfs--video", "btrfs--video"], ["ext4--video"]]
        assert workloads[name] == "video" and not any(name in each for found in others.values() for each in found)


def test_no_workload_is_measured_beside_another_one(made):
    for (family, name), beside in made.items():
        if family == "filesystem_lifecycle":
            assert {other.partition("--")[2] for others in beside for other in others} <= {name.partition("--")[2]}
