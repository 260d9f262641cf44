"""Viewers on a real link and a real loop device, at a scale of seconds: what is recorded, and how each can fail."""

import os
import signal
import time
from pathlib import Path

import pytest
from bed import PROFILE, Bed
from spindlemark import declare, families, plan, unpacked
from spindlemark.families import http_streams
from spindlemark.record import NOISE, read_record

pytestmark = pytest.mark.skipif(bool(unpacked.missing(http_streams.UNPACKED)),
                                reason="no servers are unpacked here: ./spindlemark test fetches them")
SCALE = {"film_seconds": 1, "buffer_seconds": 0.1, "most_viewers": 2, "overload_viewers": 2, "resolution": 0.5}
USUAL = {"server": "nginx+threads", "filesystem": "ext4", "rate": "4-mbit", "readahead": "1024"}


@pytest.fixture
def bed(tmp_path, needs_root):
    made = Bed(tmp_path)
    made.write("testbeds", f"net-{made.testbed}", {
        "description": "For a test", "kind": "link", "storage": made.testbed, "scheduler": "none",
        "source_directory": str(made.memory), "busy_bound": 0.1})
    yield made
    made.remove()


def planned(bed, scale=SCALE, size="64 MiB", **factors):
    """The spec file of one experiment."""
    bed.write("profiles", "tiny", PROFILE | {"families": {"http_streams": {"image_size": size, "scale": SCALE | scale}}})
    sets = [{"testbeds": [f"net-{bed.testbed}"], "factors": {name: [value] for name, value in (USUAL | factors).items()}}]
    bed.write("experiments", "http_streams", {"description": "One", "sets": sets})
    made, specs = plan.make(declare.load(bed.root / "config"), plan.Request(profile="tiny", testbed=f"net-{bed.testbed}"))
    plan.write(made, specs, bed.root)
    return bed.root / made.experiments[0].spec


def measured(bed, spec):
    bed.call(spec)
    assert bed.leftovers() == [] and not list(Path("/run/spindlemark").glob("serving-*"))
    return read_record(spec.parent / "rep-1.json")


def values(record):
    return {m.metric: m.value for m in record.measurements}


def on_a_busy_machine(record):
    """Whether other work kept the viewers' own program from its processor: the gate for that is tested elsewhere."""
    return record.status == "invalid" and "generator" in record.reason


def test_viewers_beside_recordings_are_fed_and_all_gates_are_there(bed):
    record = measured(bed, planned(bed, delivery="hls-0.4", recordings="1-recordings", size="96 MiB"))
    if on_a_busy_machine(record):
        pytest.skip(record.reason)
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    absent = {name.removeprefix("absent.") for name in record.environment if name.startswith("absent.")}
    assert found.keys() | absent == families.metrics("http_streams").keys() and not found.keys() & absent
    assert found["read_for_sent_ratio"] >= 1 and found["gigabyte_cpu_seconds"] > 0
    assert found["viewers_sustained_count"] <= 2 and found["goodput_bytes_per_second"] > 0
    assert {g.gate for g in record.validity if g.gate not in NOISE} == {
        "cold_proof", "content", "generator_idle", "generator_keeps_up", "delivered", "clock"}
    assert all(g.ok for g in record.validity if g.gate not in NOISE)
    assert {c.step for c in record.commands} >= {"films", "overload", "server", "recordings-overload", "unmount"}
    assert record.experiment.factors["delivery"]["segment_bytes"] % 4096 == 0
    assert record.experiment.fingerprint["tools"]["nginx"] and str(bed.root) not in record.model_dump_json()


def test_a_server_that_lacks_what_its_configuration_asks_for_is_unsupported(bed):
    record = measured(bed, planned(bed, server="nginx+uring"))
    assert record.status == "unsupported" and "aio" in record.reason and not values(record)


def test_a_full_disk_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "65536"])  # 16 MiB of inode tables
    record = measured(bed, planned(bed, {"film_seconds": 40, "overload_viewers": 1}, size="32 MiB", filesystem="cramped"))
    assert record.status == "failed" and "No space left on device" in record.reason and not values(record)


@pytest.mark.parametrize(("sign", "status"), [(signal.SIGSEGV, "failed"), (signal.SIGKILL, None)])
def test_a_server_that_ends_in_mid_trial_is_blamed_only_for_its_own_end(bed, sign, status):
    spec = planned(bed, {"film_seconds": 6, "buffer_seconds": 0.6}, rate="1-mbit")
    process = bed.measure(spec)
    server = found(bed, process)
    os.kill(server, sign)
    out, _ = process.communicate(timeout=120)
    if status is None:
        assert process.returncode == 1 and "ended from outside by SIGKILL" in out, out
        assert not (spec.parent / "rep-1.json").exists()
        bed.clean()
    else:
        record = read_record(spec.parent / "rep-1.json")
        assert record.status == status and "server ended with exit code -11" in record.reason, record.reason
    assert bed.leftovers() == []


def found(bed, process) -> int:
    """The server's first process, once viewers watch."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and process.poll() is None:
        if bed.running().get("step") == "overload":
            marked = f"serving-{process.pid}/configuration".encode()
            servers = [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline")
                       if marked in read(path) and b"master process" in read(path)]
            if servers:
                time.sleep(0.5)
                return servers[0]
        time.sleep(0.05)
    pytest.fail(f"no server came up: {process.communicate()[0] if process.poll() is not None else 'in time'}")


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
