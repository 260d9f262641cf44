"""Observations: inodes, reserved space and format times."""

from pathlib import Path

import pytest

import factory
from findings_data import Lab
from spindlemark.analysis.findings import caveats


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_inodes_and_reserved_space_are_told_where_there_is_something_to_say(lab, snapshot):
    def filled(inodes, reserved):
        return {
            "copy_seconds": [1.0] * 3,
            "inodes_created_count": [inodes] * 3,
            "inodes_needed_count": [1000] * 3,
            "reserved_bytes": [reserved] * 3,
        }

    size = factory.experiment().fingerprint["device"]["bytes"]
    for subject, inodes, reserved in (
        ("ext4", 131072, size // 20),
        ("ext4+m0", 131072, 0),
        ("ext4+optimized", 1500, 0),
        ("ext4+noatime", 131072, size // 20),
        ("xfs", 1200, 0),
    ):
        lab.measured(subject, filled(inodes, reserved))
    told = lab.group().observations
    assert [(o.topic, o.configuration) for o in told] == [
        ("inodes", "ext4"),
        ("inodes", "ext4+optimized"),
        ("reserved", "ext4"),
    ]
    snapshot([o.statement for o in told])


@pytest.mark.parametrize(
    ("times", "count"), [((0.03, 0.09), 1), ((0.5, 4.0), 1), ((1.0, 1.0), 0)], ids=["too-short", "differ", "equal"]
)
def test_format_times_are_told_when_they_differ_or_do_not_matter(lab, times, count, snapshot):
    for subject, seconds in zip(("ext4", "xfs"), times, strict=True):
        lab.measured(subject, {"format_seconds": [seconds] * 3, "copy_seconds": [1.0] * 3})
    told = [o.statement for o in lab.group().observations if o.topic == "format"]
    assert len(told) == count
    snapshot(told)


@pytest.mark.parametrize("kind", ["link", "nic", "loop"])
def test_a_network_without_a_disk_reserves_nothing_and_limits_its_results(lab, snapshot, kind):
    """The device of a network in memory has 0 bytes, of which nothing is a large share."""
    of_loop = factory.experiment().fingerprint
    lab.measured(
        "ext4",
        {"copy_seconds": [1.0] * 3, "reserved_bytes": [1e6] * 3},
        fingerprint=of_loop | {"device": {"kind": kind, "bytes": 0}},
    )
    group = lab.group()
    assert group.observations == []
    assert [note for note in group.notes if "network" in note] == caveats.of_testbed(kind)
    snapshot(caveats.of_testbed(kind))
