"""The facts of a group's page: what was written, for libraries and for files of one size."""

from types import SimpleNamespace

import pytest

import live_video_groups
from spindlemark import config
from spindlemark.analysis.findings.model import Findings
from spindlemark.measure import experiments
from spindlemark.site import group_pages, version_info


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


def test_all_kernels_of_a_testbed_are_said():
    """A release of everything has results of several sessions, and a new boot may have another kernel, as a group pools them."""
    named = ["6.2", "6.1", "6.2, 6.1", "6.1, 6.2"]
    groups = [live_video_groups.group("play", n, 1.0, 2.0, conditions={"kernel": k}) for n, k in enumerate(named, 4)]
    found = Findings(
        confidence=0.95,
        practical_threshold=0.05,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=[*groups, live_video_groups.group("play", 3, 1.0, 2.0)],
    )
    sources = SimpleNamespace(testbeds=dict)
    (bed,) = version_info.beds(sources, {("a", "b"): [{"testbed": "link"}]}, found)
    assert bed["kernel"] == "6.1 and 6.2"
    (bed,) = version_info.beds(sources, {("a", "b"): [{"testbed": "ram"}]}, found)
    assert bed["kernel"] == ""
