"""Clients on a real link and a real loop device, at a scale of seconds: what is recorded, and how each can fail."""

import json
import os
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest

from bed import PROFILE, Bed
from families_bed import versions_found_anew  # noqa: F401
from spindlemark import config
from spindlemark.core.process import programs, unpacked
from spindlemark.core.record import NOISE, read_record
from spindlemark.families import registry as families
from spindlemark.families.http_streams import family as http_streams
from spindlemark.families.http_streams import http_results
from spindlemark.measure import plan

pytestmark = pytest.mark.skipif(
    bool(unpacked.missing(http_streams.UNPACKED)),
    reason="no servers are unpacked here: ./spindlemark test fetches them",
)
SCALE = {"film_seconds": 1, "buffer_seconds": 0.1, "most_viewers": 2, "overload_viewers": 2, "resolution": 0.5}
USUAL = {"server": "nginx+threads", "filesystem": "ext4", "rate": "4-mbit", "readahead": "1024"}


@pytest.fixture
def bed(tmp_path, needs_root):
    made = Bed(tmp_path)
    made.write(
        "testbeds",
        f"net-{made.testbed}",
        {
            "description": "For a test",
            "kind": "link",
            "storage": made.testbed,
            "scheduler": "none",
            "source_directory": str(made.memory),
            "busy_bound": 0.1,
        },
    )
    yield made
    made.remove()


def planned(bed, scale=SCALE, size="64 MiB", **factors):
    """The spec file of one experiment."""
    bed.write(
        "profiles", "tiny", PROFILE | {"families": {"http_streams": {"image_size": size, "scale": SCALE | scale}}}
    )
    sets = [
        {"testbeds": [f"net-{bed.testbed}"], "factors": {name: [value] for name, value in (USUAL | factors).items()}}
    ]
    bed.write("experiments", "http_streams", {"description": "One", "sets": sets})
    made, specs = plan.make(
        config.load(bed.root / "config"), plan.Request(profile="tiny", testbed=f"net-{bed.testbed}")
    )
    plan.write(made, specs, bed.root)
    return bed.root / made.experiments[0].spec


def measured(bed, spec):
    bed.call(spec)
    assert bed.leftovers() == [] and not list(Path("/run/spindlemark").glob("serving-*"))
    return read_record(spec.parent / "rep-1.json")


def values(record):
    return {m.metric: m.value for m in record.measurements}


def on_a_busy_machine(record):
    """Whether other work kept the clients' own program from its processor: the gate for that is tested elsewhere."""
    return record.status == "invalid" and "generator" in record.reason


def test_assets_are_served_by_tls(bed):
    record = measured(bed, planned(bed, server="nginx+tls"))
    if on_a_busy_machine(record):
        pytest.skip(record.reason)
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found["viewers_sustained_count"] > 0 and found["carried_for_sent_ratio"] > 1
    assert [g.ok for g in record.validity if g.gate == "delivered"] == [True], "the log counts bytes before encryption"
    assert "PRIVATE KEY" not in record.model_dump_json()


def test_clients_beside_recordings_are_fed_and_all_gates_are_there(bed):
    record = measured(bed, planned(bed, delivery="hls-0.4", recordings="1-recordings", size="96 MiB"))
    if on_a_busy_machine(record):
        pytest.skip(record.reason)
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    absent = {name.removeprefix("absent.") for name in record.environment if name.startswith("absent.")}
    assert found.keys() | absent == families.metrics("http_streams").keys() and not found.keys() & absent
    overload = next(trial for trial in record.attachments["trials"] if trial["step"] == "overload")
    assert overload["holds"] is ("goodput_bytes_per_second" in absent) and overload["device_share"] is None
    assert found["viewers_sustained_count"] <= 2 and all(
        found[name] > 0 for name in http_results._OVERLOADED if name in found
    )
    assert {g.gate for g in record.validity if g.gate not in NOISE} == {
        "cold_proof",
        "content",
        "generator_idle",
        "generator_keeps_up",
        "completeness",
        "delivered",
        "clock",
    }
    assert all(g.ok for g in record.validity if g.gate not in NOISE)
    assert {c.step for c in record.commands} >= {"films", "overload", "server", "recordings-overload", "unmount"}
    assert record.experiment.factors["delivery"]["segment_bytes"] % 4096 == 0
    assert record.experiment.fingerprint["tools"]["nginx"] and str(bed.root) not in record.model_dump_json()


def test_thumbnails_are_fetched_while_clients_play(bed):
    record = measured(bed, planned(bed, thumbnails="5-each-second", size="96 MiB"))
    if on_a_busy_machine(record):
        pytest.skip(record.reason)
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert 0 < found["thumbnail_median_seconds"] <= found["thumbnail_p99_seconds"]
    assert all(trial["thumbnail_p99_seconds"] > 0 for trial in record.attachments["trials"])
    assert all(gate.ok for gate in record.validity if gate.gate in ("completeness", "delivered", "cold_proof"))


def test_a_load_curve_on_an_aged_filesystem_keeps_points_and_ramp(bed):
    scale = {
        "film_seconds": 30,
        "hold_seconds": 15,
        "buffer_seconds": 1.5,
        "most_viewers": 3,
        "overload_viewers": 3,
        "curve": {"points": 3, "ramp_step_seconds": 1},
        "ageing": {
            "tuners": 2,
            "smallest": "1 MB",
            "largest": "4 MB",
            "flush": "512 KiB",
            "filled": 0.7,
            "overwritten": 1.5,
        },
    }
    record = measured(bed, planned(bed, scale, size="96 MiB", load="curve", age="aged", rate="1-mbit"))
    if on_a_busy_machine(record):
        pytest.skip(record.reason)
    assert (record.status, record.reason) == ("ok", None)
    found, trials, ramp = values(record), record.attachments["trials"], record.attachments["ramp"]
    assert [trial["viewers"] for trial in trials][:2] == [3, 1]
    assert all(trial["seconds"] >= 15 for trial in trials), "a trial lasts as long as declared"
    for trial in trials:
        assert trial["server_resident_bytes"] > 1 << 20 and trial["page_cache_bytes"] > 0
        assert trial["network_bytes_per_second"] > trial["viewers"] * 1e6 / 8 * 0.8
        assert trial["lowest_fill_seconds"] <= 1.5 + 0.01
    assert max(second["viewers"] for second in ramp) == found["viewers_sustained_count"] > 0
    assert all(second["seconds"] > before["seconds"] for before, second in pairwise(ramp))
    assert found["viewers_estimated_count"] >= found["viewers_sustained_count"]
    assert record.environment["age.recorded_bytes"] >= 1.5 * (96 << 20) > record.environment["age.kept_bytes"] > 0
    assert found["film_pieces_per_100_mb"] > 0 and found["server_resident_bytes"] > 1 << 20


def test_a_server_that_lacks_what_its_configuration_asks_for_is_unsupported(bed):
    record = measured(bed, planned(bed, server="nginx+uring"))
    assert record.status == "unsupported" and "aio" in record.reason and not values(record)


def test_a_full_disk_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "65536"])  # 16 MiB of inode tables
    record = measured(
        bed, planned(bed, {"film_seconds": 40, "overload_viewers": 1}, size="32 MiB", filesystem="cramped")
    )
    assert record.status == "failed" and "No space left on device" in record.reason and not values(record)


@pytest.mark.usefixtures("versions_found_anew")
def test_a_server_whose_program_is_missing_is_unsupported(bed, tmp_path, monkeypatch):
    folder = tmp_path / "programs"
    programs.link_all(folder)
    (folder / "lighttpd").unlink()
    monkeypatch.setenv(programs.ONLY, str(folder))
    record = measured(bed, planned(bed, server="lighttpd"))
    assert record.status == "unsupported" and record.reason.startswith("lighttpd is not here: ") and not values(record)


def crash(server):
    os.kill(server, signal.SIGSEGV)


def kill(server):
    os.kill(server, signal.SIGKILL)


def tear_down(server):
    """The link, at the server's end."""
    enter = ["nsenter", f"--net=/proc/{server}/ns/net", "--", "ip"]
    links = json.loads(
        subprocess.run([*enter, "-j", "link", "show", "type", "veth"], check=True, capture_output=True).stdout
    )
    subprocess.run([*enter, "link", "delete", links[0]["ifname"]], check=True)


@pytest.mark.parametrize(
    ("server", "done", "told"),
    [
        ("lighttpd", crash, "server ended with exit code -11"),
        ("nginx+threads", kill, "ended from outside by SIGKILL"),
        ("caddy", tear_down, "the link was removed while it was measured"),
    ],
)
def test_a_server_that_ends_in_mid_trial_is_blamed_only_for_its_own_end(bed, server, done, told):
    spec = planned(bed, {"film_seconds": 6, "buffer_seconds": 0.6}, rate="1-mbit", server=server)
    process = bed.measure(spec)
    done(found(bed, process, config.load().servers[server].program))
    out, _ = process.communicate(timeout=120)
    if done is crash:
        record = read_record(spec.parent / "rep-1.json")
        assert record.status == "failed" and told in record.reason, record.reason
    else:
        assert process.returncode == 1 and told in out, out
        assert not (spec.parent / "rep-1.json").exists()
        bed.clean()
    assert bed.leftovers() == []


def found(bed, process, program) -> int:
    """The server's first process, once clients play."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and process.poll() is None:
        if bed.running().get("step") == "overload":
            marked = f"serving-{process.pid}/configuration".encode()
            servers = [
                int(path.parent.name)
                for path in Path("/proc").glob("[0-9]*/cmdline")
                if marked in read(path) and read(path.with_name("comm")).strip() == program.encode()
            ]
            if servers:
                time.sleep(0.5)
                return min(servers)
        time.sleep(0.05)
    pytest.fail(f"no server came up: {process.communicate()[0] if process.poll() is not None else 'in time'}")


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
