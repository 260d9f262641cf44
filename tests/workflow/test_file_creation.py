"""File creation on real loop devices."""

from pathlib import Path

import pytest

from families_bed import held, measured, planned, values, versions_found_anew  # noqa: F401
from spindlemark.families import registry as families

MIB = 2**20
TINY = {"image_size": "320 MiB"}
SMALL = "1-files-64mb"


@pytest.mark.parametrize(
    ("filesystem", "layout", "cache", "files", "size"),
    [
        ("ext4", SMALL, "direct", 1, 64 * MIB),
        ("btrfs", "20-files-2mb", "direct", 20, 2 * MIB),
        ("xfs", "40-files-1mb", "cached", 40, MIB),
    ],
)
def test_files_are_created_and_reach_the_device(bed, filesystem, layout, cache, files, size):
    record = measured(bed, planned(bed, "file_creation", filesystem, TINY, layout=layout, cache=cache))
    assert (record.status, record.reason) == ("ok", None)
    factors, found = record.experiment.factors, values(record)
    assert (factors["files"], factors["file_bytes"], factors["cache"]) == (files, size, cache)
    assert found.keys() == families.metrics("file_creation").keys()
    assert all(value > 0 or "_device_read" in metric for metric, value in found.items())
    assert found["creation_device_written_bytes"] >= files * size and found["creation_cpu_seconds"] < 60
    job, payload = record.attachments["fio"]["jobs"][0], files * size
    assert job["write"]["io_bytes"] == payload
    assert found["creation_seconds"] == pytest.approx(job["write"]["runtime"] / 1000 + found["creation_sync_seconds"])
    assert found["creation_bytes_per_second"] == pytest.approx(payload / found["creation_seconds"])
    assert held(record, "cold_proof") == [True] * (2 if cache == "direct" else 1)
    assert held(record, "completeness") == [True, True] and held(record, "space") == [True]


def test_content_cannot_be_compressed(bed):
    bed.declare_filesystem("folding", like="btrfs", variants={"on": {"mkfs": [], "mount": ["compress-force=zstd"]}})
    record = measured(bed, planned(bed, "file_creation", "folding+on", TINY, layout=SMALL, cache="cached"))
    assert (record.status, record.reason) == ("ok", None)
    assert "compress-force=zstd" in record.environment["filesystem.mount_options"]


def test_a_full_disk_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "65536"])  # 16 MiB of inode tables
    amount = TINY | {"image_size": "70 MiB"}
    record = measured(bed, planned(bed, "file_creation", "cramped", amount, layout=SMALL, cache="direct"))
    assert record.status == "failed" and "No space left on device" in record.reason
    assert "creation_seconds" not in values(record)


def test_a_missing_tool_is_unsupported(bed, tmp_path, versions_found_anew, monkeypatch):  # noqa: F811
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in Path("/usr/bin").iterdir():
        if tool.name != "fio":
            (tools / tool.name).symlink_to(tool)
    monkeypatch.setenv("PATH", str(tools))
    record = measured(bed, planned(bed, "file_creation", "ext4", TINY, layout=SMALL, cache="cached"))
    assert record.experiment.fingerprint["tools"]["fio"] is None
    assert record.status == "unsupported" and "the package fio" in record.reason
