"""The family `integrity` with real filesystems: what is known of faults in data, and what becomes of those in metadata."""

from collections import Counter

import pytest

from families_bed import held, measured, planned, values
from spindlemark.core.errors import UserError
from spindlemark.families import registry as families
from spindlemark.families.integrity import copies_factor
from spindlemark.families.integrity.outcomes import OUTCOMES

AMOUNT = {"image_size": "16 MiB", "scale": {"bits": 6, "sectors": 4, "files": 120}}
# btrfs writes about half of its metadata anew while it is read, and a fault in what was replaced has no effect.
MANY = {"image_size": "16 MiB", "scale": {"bits": 6, "sectors": 10, "files": 120}}


def record_of(bed, filesystem, copies, place, fault, amount=AMOUNT):
    spec = planned(bed, "integrity", filesystem, amount, copies=copies, place=place, fault=fault)
    record = measured(bed, spec)
    assert (record.status, record.reason) == ("ok", None)
    return record


@pytest.mark.parametrize("fault", ["bit", "sector"])
@pytest.mark.parametrize(
    ("filesystem", "copies", "outcome"),
    [
        ("ext4", "one", "silent"),
        ("xfs", "one", "silent"),
        ("btrfs", "one", "detected"),
        ("btrfs", "dup", "repaired"),
        ("btrfs", "raid1", "repaired"),
    ],
)
def test_faults_in_data_have_the_known_outcome(bed, filesystem, copies, outcome, fault):
    record = record_of(bed, filesystem, copies, "data", fault)
    found, count = values(record), {"bit": 6, "sector": 4}[fault]
    assert found["faults_count"] == found[f"{outcome}_count"] == count
    assert found["noticed_count"] == (0 if outcome == "silent" else count)
    assert found["wrong_read_count"] == (count if outcome == "silent" else 0)
    assert found["honest_ratio"] == (outcome != "silent") and found["intact_ratio"] == (outcome == "repaired")
    files = [fault["file"] for fault in record.attachments["faults"]]
    assert len(set(files)) == count and None not in files
    assert all((each["bit"] is None) == (fault == "sector") for each in record.attachments["faults"])
    assert all(held(record, "content")) and all(held(record, "completeness"))


@pytest.mark.parametrize(
    ("filesystem", "copies"), [("ext4", "one"), ("xfs", "one"), ("btrfs", "one"), ("btrfs", "raid1")]
)
def test_each_fault_in_metadata_has_one_outcome(bed, filesystem, copies):
    record = record_of(bed, filesystem, copies, "metadata", "sector", MANY)
    found = values(record)
    outcomes = Counter(each["outcome"] for each in record.attachments["faults"])
    assert {name: found[f"{name}_count"] for name in OUTCOMES} == {name: outcomes[name] for name in OUTCOMES}
    assert sum(outcomes.values()) == found["faults_count"] == 10
    assert found["noticed_count"] > 0, "a replaced block of metadata does not match its checksum"
    assert found["silent_count"] == 0
    assert all(each["file"] is None for each in record.attachments["faults"])
    if filesystem == "btrfs":
        assert found["intact_ratio"] == 1, "metadata have two copies"


def test_a_disk_is_refused():
    with pytest.raises(UserError, match="image files only, and not on a testbed of kind disk"):
        copies_factor.require_image("disk", "config/experiments/integrity.yaml")


def test_the_factors_are_resolved():
    chosen, scale = {"place": "data", "fault": "bit"}, {"bits": 300, "sectors": 2, "files": 100}
    assert families.factors("integrity", chosen, scale, 1 << 30) == {
        "place": "data",
        "fault": "bit",
        "faults": 300,
        "files": 300,
        "disk_bytes": 512 << 20,
        "seed": 20261126,
    }
    with pytest.raises(UserError, match="there is no 'journal'"):
        families.factors("integrity", chosen | {"place": "journal"}, scale, 1 << 30)


@pytest.mark.parametrize(
    ("filesystem", "copies", "named"),
    [
        ("ext4", "dup", "ext4 cannot be measured with 'dup'"),
        ("btrfs", "dm-integrity", "btrfs cannot be measured with 'dm-integrity'"),
        ("ext4", "dm-integrity", "in a virtual machine only"),
        ("zfs", "dm-integrity", "zfs cannot be measured with 'dm-integrity'"),
        ("zfs", "raid1", "in a virtual machine only"),
    ],
)
def test_copies_that_a_filesystem_or_testbed_does_not_have_are_refused(bed, filesystem, copies, named):
    with pytest.raises(UserError, match=named):
        planned(bed, "integrity", filesystem, AMOUNT, copies=copies, place="data", fault="bit")
