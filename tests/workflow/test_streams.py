"""Streams and aging on real loop devices, at a scale of seconds: what is recorded, and how each can fail."""

import os

import pytest

from bed import PROFILE
from spindlemark import config
from spindlemark.core.record import NOISE, read_record
from spindlemark.families import registry as families
from spindlemark.measure import plan
from spindlemark.testbeds import fingerprint

PROBING = {"probe_seconds": 0.5, "playback_buffer_seconds": 0.1, "writers": 1, "most_streams": 4, "resolution": 0.0}
STREAMS = PROBING | {"file_seconds": 0.2, "unpaced_streams": 2}
RECORDING = {"tuners": 2, "smallest": "1 MiB", "largest": "6 MiB", "flush": "1 MiB", "filled": 0.5, "overwritten": 1.5}


def planned(bed, family, scale, size="64 MiB", **factors):
    """The spec file of one experiment of a family at a scale of its own."""
    amount = {family: {"image_size": size, "scale": scale}}
    bed.write("profiles", "tiny", PROFILE | {"families": amount})
    sets = [{"factors": {name: [value] for name, value in factors.items()}}]
    bed.write("experiments", family, {"description": "One", "sets": sets})
    made, specs = plan.make(config.load(bed.root / "config"), plan.Request(profile="tiny", testbed=bed.testbed))
    plan.write(made, specs, bed.root)
    return bed.root / made.experiments[0].spec


def measured(bed, spec, repetition=1):
    bed.call(spec, repetition)
    assert bed.leftovers() == []
    assert not list(bed.memory.rglob("*.log"))
    return read_record(spec.parent / f"rep-{repetition}.json")


def values(record):
    return {m.metric: m.value for m in record.measurements}


def test_streams_that_all_hold_are_at_least_so_many(bed):
    record = measured(bed, planned(bed, "concurrent_streams", STREAMS, filesystem="ext4", rate="1-mbit"))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("concurrent_streams").keys()
    assert found["streams_sustained_count"] == 4 and found["streams_failed_count"] == 0
    assert record.environment["streams.limited_by"] == "most_streams"
    last = record.attachments["probes"][-1]
    assert (last["streams"], last["holds"]) == (4, True)
    assert [len(last[kind]["delivered_bytes"]) for kind in ("readers", "writers")] == [4, 1]
    assert max(last["readers"]["worst_lag_seconds"]) <= PROBING["playback_buffer_seconds"]
    assert record.experiment.experiment == "ext4--1-mbit"
    assert str(bed.root) not in record.model_dump_json()


def test_streams_beyond_any_disk_fall_behind(bed):
    """100 GB/s for each reader, more than memory gives: not one holds, and what each got is in the record."""
    scale = STREAMS | {"writers": 0, "file_seconds": 0.0001}
    record = measured(
        bed, planned(bed, "concurrent_streams", scale, filesystem="xfs", rate="800000-mbit", size="320 MiB")
    )
    assert record.status == "ok"
    assert values(record)["streams_sustained_count"] == 0 and values(record)["streams_failed_count"] == 1
    assert values(record)["streams_read_bytes_per_second"] < 1e10
    [probe] = [p for p in record.attachments["probes"] if p["streams"] == 1]
    assert not probe["holds"] and probe["readers"]["worst_lag_seconds"][0] > PROBING["playback_buffer_seconds"]
    assert record.environment["streams.limited_by"] in ("device", "processor")


def test_streams_through_the_page_cache_come_from_the_device_once(bed):
    scale = STREAMS | {"file_seconds": 1, "most_streams": 2}
    record = measured(
        bed,
        planned(bed, "concurrent_streams", scale, filesystem="btrfs", rate="8-mbit", cache="buffered", size="128 MiB"),
    )
    assert record.status == "ok" and record.experiment.factors["streams"]["direct"] is False
    assert {g.gate for g in record.validity if g.gate not in NOISE} == {"cold_proof", "clock"}
    assert [c for c in record.commands if "--direct=0" in c.argv and any("--fdatasync" in w for w in c.argv)]


@pytest.mark.parametrize(("filesystem", "most"), [("ext3", 2), ("ext4+fallocate", 17)])
def test_a_filesystem_ages(bed, filesystem, most):
    scale = {"recording": RECORDING, "streams": PROBING | {"most_streams": most}}
    record = measured(bed, planned(bed, "aging", scale, filesystem=filesystem, rate="0.5-mbit"))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("aging").keys() and all(v >= 0 for v in found.values())
    assert 1.5 <= found["overwritten_ratio"] <= 1.5 + 6 / 64
    assert found["read_kept_ratio"] == found["aged_read_bytes_per_second"] / found["fresh_read_bytes_per_second"]
    assert found["fresh_extents_per_100_mb"] >= 100 / 6.4, "a recording is one piece at least, and at most 6 MiB long"
    recorder = [c.argv for c in record.commands if c.step in ("fill", "age") and c.argv[0] != "sync"]
    assert ["--preallocate" in argv for argv in recorder] == [filesystem == "ext4+fallocate"] * 2
    assert {"fresh-probes", "aged-probes", "fresh-read", "aged-read"} == record.attachments.keys()
    assert {"streams.fresh-limited_by", "streams.aged-limited_by"} <= record.environment.keys()
    shared_evenly(record, most)


def shared_evenly(record, most):
    """More readers than recordings share them; fewer have one each."""
    words = next(c.argv for c in record.commands if c.step == f"fresh-streams-{most}")
    recordings = [word for word in words if word.startswith("--name=reader-")]
    readers = [int(word.split("=")[1]) for word in words if word.startswith("--numjobs=")][: len(recordings)]
    assert sum(readers) == most and max(readers) - min(readers) <= 1
    assert (max(readers) > 1) == (most == 17)


def test_a_full_disk_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "65536"])  # 16 MiB of inode tables
    scale = {"recording": RECORDING | {"filled": 0.95}, "streams": PROBING}
    record = measured(bed, planned(bed, "aging", scale, filesystem="cramped"))
    assert record.status == "failed" and "No space left on device" in record.reason
    assert not values(record)


@pytest.mark.parametrize(
    ("family", "scale"), [("concurrent_streams", STREAMS), ("aging", {"recording": RECORDING, "streams": PROBING})]
)
def test_without_fio_it_is_unsupported(bed, monkeypatch, family, scale):
    without("fio", bed.root / "bin", monkeypatch)
    record = measured(bed, planned(bed, family, scale, filesystem="ext4"))
    assert record.status == "unsupported" and "the package fio" in record.reason
    assert record.experiment.fingerprint["tools"]["fio"] is None
    assert not values(record) and not [c for c in record.commands if c.step == "format"]


def without(tool, folder, monkeypatch):
    """Every tool of the system but one, for this process and those that it starts."""
    folder.mkdir()
    for source in ("/usr/local/bin", "/usr/bin"):  # the program looks into the folders of system tools by itself
        for entry in os.scandir(source):
            if entry.name != tool and not (folder / entry.name).is_symlink():
                (folder / entry.name).symlink_to(entry.path)
    monkeypatch.setenv("PATH", str(folder))
    fingerprint.forget_versions()
