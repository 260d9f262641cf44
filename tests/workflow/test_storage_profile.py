"""Both storage profiles on real loop devices."""

import math
import os
from pathlib import Path

import pytest

from families_bed import held, measured, planned, values
from spindlemark.core import bonnie_output
from spindlemark.families import registry as families

SCALE = {"file_size": "16 MiB", "seconds": 0.1, "bonnie_size": "32 MiB", "bonnie_char_size": 0, "bonnie_files": 0}


def amount(image="320 MiB", **scale):
    return {"image_size": image, "scale": SCALE | scale}


def test_both_profiles_are_measured_on_the_device(bed):
    record = measured(bed, planned(bed, "storage_profile", "ext4", amount(bonnie_char_size="1 MiB")))
    assert (record.status, record.reason) == ("ok", None)
    found, environment = values(record), record.environment
    too_fast = {name.removeprefix("absent.") for name in environment if name.startswith("absent.")}
    small_files = {
        name(test) for test in bonnie_output.TESTS[6:] for name in (bonnie_output.rate, bonnie_output.latency)
    }
    assert found.keys() | too_fast == families.metrics("storage_profile").keys() - small_files
    assert not found.keys() & too_fast
    assert all(value > 0 and math.isfinite(value) for value in found.values())
    assert environment["storage_profile.engine"] in ("libaio", "io_uring")
    assert environment["storage_profile.direct_io"] is True
    assert held(record, "cold_proof") == [True] * 6
    for load, block in (("seq1m_q8t1", 2**20), ("rnd4k_q32t16", 4096)):
        for way in ("read", "write"):
            stem = f"{load}_{way}"
            assert found[f"{stem}_bytes_per_second"] == pytest.approx(
                found[f"{stem}_iops_per_second"] * block, rel=0.01
            )
            points = [found[f"{stem}_latency_{point}_seconds"] for point in ("median", "p95", "p99")]
            assert points == sorted(points)
    tests = record.attachments["bonnie"]["tests"]
    assert [t["test"] for t in tests] == list(range(6))  # each began on a prompt of its own
    assert record.attachments["bonnie"]["text"].rstrip().splitlines()[-1].startswith("1.98,")
    jobs = record.attachments["fio"]["jobs"]
    assert len(jobs) == 9 and jobs[0]["write"]["io_bytes"] == 16 * 2**20


def test_a_filesystem_that_folds_zeros_is_invalid(bed):
    record = measured(bed, planned(bed, "storage_profile", "btrfs+compress", amount()))
    assert record.status == "invalid" and "bonnie++ sequential write" in record.reason
    assert record.attachments["bonnie"]["tests"], "what bonnie++ printed is kept all the same"


def test_a_full_disk_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "65536"])  # 16 MiB of inode tables
    record = measured(bed, planned(bed, "storage_profile", "cramped", amount("40 MiB", file_size="4 MiB")))
    assert record.status == "failed" and record.reason.startswith("bonnie: bonnie++ ended")
    assert "No space left on device" in record.reason


def test_a_load_that_does_not_end_is_ended(bed):
    record = measured(bed, planned(bed, "storage_profile", "ext4", amount(seconds=60)), "--limit-seconds", "3")
    assert record.status == "failed" and "fio was killed after 3 s" in record.reason


def test_a_hung_bonnie_is_ended_with_its_children(bed, tmp_path, monkeypatch):
    tools = tmp_path / "tools"
    tools.mkdir()
    tool = tools / "bonnie++"
    tool.write_text("#!/bin/sh\n[ $1 = -h ] && echo 2.00a && exit\nsleep 4713 &\nsleep 4713\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    spec = planned(bed, "storage_profile", "ext4", amount(seconds=0.05))
    record = measured(bed, spec, "--limit-seconds", "20")
    assert record.status == "failed" and "was killed after 20 s" in record.reason
    assert record.commands[-1].step == "bonnie"
    assert not [p for p in Path("/proc").glob("[0-9]*/cmdline") if b"4713" in _read(p)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
