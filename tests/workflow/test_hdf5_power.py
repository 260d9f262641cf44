"""Power cut while an HDF5 file is edited, as task of the family."""

import pytest
from families_bed import measured, planned, values

AMOUNT = {"image_size": "320 MiB", "scale": {"size": 0.05}}
FACTORS = {"task": "power-cut", "sync": "sync", "size": "38-mb", "commands": "1", "libver": "earliest"}


@pytest.mark.parametrize(("level", "backup", "lost"), [("no", "none", True), ("yes", "aside", False)])
def test_power_is_cut_after_every_write(bed, level, backup, lost):
    record = measured(bed, planned(bed, "hdf5_edit", "ext4+noinit", AMOUNT, **FACTORS, level=level, backup=backup))
    assert record.status == "ok", record.reason
    found, cuts = values(record), record.attachments["cuts"]
    assert (found["power_lost_ratio"] > 0) is lost and found["power_unmountable_ratio"] == 0
    assert found["power_saved_ratio"] == pytest.approx(1 - found["power_lost_ratio"])
    in_order = [cut for cut in cuts if not cut["also"]]
    assert (in_order[0]["state"], in_order[-1]["state"]) == ("before", "after")
    assert len(cuts) == found["power_points_count"] + found["power_reordered_points_count"]
    told = " ".join(gate.detail for gate in record.validity if gate.ok)
    assert "all recorded writes" in told and "last replayed state" in told
