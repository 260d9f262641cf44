"""Caches over storage that takes its time, on a real filesystem, and what becomes of it when the storage fails."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from families_bed import held, measured, planned, values
from spindlemark.core.errors import UserError
from spindlemark.families import registry as families

AMOUNT = {"image_size": "64 MiB"}


def spec(bed, cache="64-kib-x-256", storage="nbd-1-ms", way="write", sources="1-sources", amount=AMOUNT):
    chosen = {"cache": cache, "storage": storage, "way": way, "sources": sources}
    return planned(bed, "raw_storage_cache", "ext4", amount, **chosen)


def test_a_cache_asks_for_less_and_writes_the_same(bed):
    record = measured(bed, spec(bed))
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("raw_storage_cache").keys()
    assert 0 < found["writes_count"] < 20 and found["elapsed_seconds"] > found["writes_count"] / 1000
    for gate in ("cold_proof", "delivered", "content"):
        assert held(record, gate) and all(held(record, gate))


def test_ranges_of_a_web_server_are_read_and_take_their_time(bed):
    record = measured(bed, spec(bed, "4-kib-x-4096", "http-5-ms", "read"))
    found = values(record)
    assert record.status == "ok" and found["writes_count"] == 0
    assert found["elapsed_seconds"] > found["reads_count"] * 0.005
    assert all(held(record, "cold_proof")) and all(held(record, "content"))


def test_a_server_that_is_killed_says_nothing_about_the_cache(bed):
    planned_spec = spec(bed, "none", "nbd-20-ms", "read")
    process = bed.measure(planned_spec)
    server = None
    while server is None and process.poll() is None:
        server = nbdkit(bed.mount_points[-1])
    os.kill(server, signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode != 0 and "nbd was ended from outside by SIGKILL" in out
    assert not list(planned_spec.parent.glob("rep-*")) and bed.leftovers() == []


def nbdkit(mount_point: Path) -> int | None:
    """The server of a file on the mount point, once it has a client."""
    time.sleep(0.02)
    found = {}
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            words = place.read_bytes()
            found |= {
                name: int(place.parent.name)
                for name in (b"nbdkit", b"spindlemark.families.shared.aaf.aaf_client")
                if name in words and bytes(mount_point) in words
            }
    return found[b"nbdkit"] if len(found) == 2 else None


def test_what_cannot_be_planned_names_its_key(bed):
    for wrong, match in (
        ({"cache": "3-kib-x-1"}, "cache: there is no '3-kib-x-1'"),
        ({"storage": "http-1-ms"}, "way: http-1-ms cannot be written"),
        ({"sources": "3-sources"}, "sources: there is no '3-sources'"),
        ({"amount": {"scale": {"sources": 1}}}, "families.raw_storage_cache.scale.sources"),
        ({"amount": {"image_size": "1 MiB"}, "sources": "10-sources"}, "its file needs"),
    ):
        with pytest.raises(UserError, match=match):
            spec(bed, **wrong)
