"""The facts of a group's page: what was written, for libraries and for files of one size."""

import pytest

import live_video_groups
from spindlemark import config
from spindlemark.measure import experiments
from spindlemark.site import group_pages


def facts(factors):
    group = live_video_groups.group("play", 1, 1.0, 2.0).model_copy(update={"library_factors": factors})
    return {each["label"]: each["value"] for each in group_pages.facts(group, None)}


def test_files_of_one_size_have_no_directories():
    found = facts({"name": "1-mb", "bytes": 1_000_000, "files": 1000, "total": 1_000_000_000})
    assert found["Files"] == "1,000" and found["Each file"] == "1.00 MB" and found["Total"] == "1.00 GB"
    assert not {"Directories", "Content", "File size"} & found.keys()


def test_without_files_only_configurations_and_device_are_said():
    assert list(facts({})) == ["Configurations", "Device"]


@pytest.mark.parametrize("profile", ["quick", "standard"])
def test_every_declared_set_of_files_can_be_said(profile):
    """Of each family: filesystem_crash, which has no library, once stopped the whole site."""
    said = set()
    for spec in experiments.specs(config.load(), profile, read_machine=False):
        for factor in spec.experiment.factors.values():
            if isinstance(factor, dict) and "files" in factor:
                assert facts(factor)["Files"] == f"{factor['files']:,}"
                said.add(spec.experiment.family)
    assert {"filesystem_lifecycle", "filesystem_crash"} <= said
