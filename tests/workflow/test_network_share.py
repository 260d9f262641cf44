"""Network shares over a real link, by each protocol's real server and client; what breaks is told as what it is."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from bed import PROFILE, Bed
from families_bed import held, measured, values, versions_found_anew  # noqa: F401
from share_programs import need
from spindlemark import config
from spindlemark.core.process import programs
from spindlemark.core.record import Record
from spindlemark.families import registry as families
from spindlemark.families.network_share.editing_metrics import METRICS
from spindlemark.families.network_share.share_servers import SERVERS
from spindlemark.measure import plan

MIB = 1 << 20
AMOUNT = {
    "image_size": "128 MiB",
    "scale": {"file_size": "32 MiB", "seconds": 0.05, "task_seconds": 0.4, "scrubs": 8, "pictures": 40},
}
IN_ORDER = (
    {f"seq1m_q8t1_{way}_bytes_per_second" for way in ("read", "write")}
    | {f"{way}_gb_{side}cpu_seconds" for way in ("read", "write") for side in ("", "client_", "server_")}
    | {f"{way}_{what}" for way in ("read", "write") for what in ("wire_ratio", "sent_again_count")}
)


@pytest.fixture
def bed(tmp_path, needs_root):
    made = Bed(tmp_path)
    common = {"description": "For a test", "scheduler": "none", "source_directory": str(made.memory), "busy_bound": 0.1}
    disk = f"{made.testbed}-disk"
    made.write("testbeds", disk, common | {"kind": "loop", "directory": str(made.images), "direct_io": True})
    made.write("testbeds", made.testbed, common | {"kind": "link", "storage": disk})
    yield made
    made.remove()


@pytest.fixture
def tools():
    """A folder that PATH begins with, in which every user may look."""
    folder = Path(tempfile.mkdtemp(prefix="spindlemark-test-"))
    folder.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{folder}:{before}"
    yield folder
    os.environ["PATH"] = before
    shutil.rmtree(folder)


def planned(bed: Bed, protocol: str, amount: dict = AMOUNT, **factors: str) -> Path:
    """The spec file of one experiment."""
    bed.write("profiles", "tiny", PROFILE | {"families": {"network_share": amount}})
    chosen = {"protocol": protocol, "filesystem": "ext4", "loads": "in-order"} | factors
    bed.write(
        "experiments",
        "network_share",
        {"description": "One", "sets": [{"factors": {k: [v] for k, v in chosen.items()}}]},
    )
    made, specs = plan.make(config.load(bed.root / "config"), plan.Request(profile="tiny", testbed=bed.testbed))
    plan.write(made, specs, bed.root)
    return bed.root / made.experiments[0].spec


def share(bed: Bed, protocol: str, amount: dict = AMOUNT, **factors: str) -> Record:
    return measured(bed, planned(bed, protocol, amount, **factors))


def script(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("protocol", ["smb", "nfs", "webdav"])
def test_a_share_is_measured_by_each_protocol(bed, protocol):
    need(protocol)
    record = share(bed, protocol)
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == IN_ORDER and all(value > 0 for name, value in found.items() if "again" not in name)
    assert (
        held(record, "content") == [True] * 2 and held(record, "delivered") == held(record, "cold_proof") == [True] * 2
    )
    assert 1 < found["read_wire_ratio"] < 1.2 > found["write_wire_ratio"] > 1
    assert found["read_gb_cpu_seconds"] == pytest.approx(
        found["read_gb_client_cpu_seconds"] + found["read_gb_server_cpu_seconds"]
    )
    server = next(c for c in record.commands if c.step == SERVERS[protocol].program)
    kept = ",+dac_read_search,+setgid" if protocol == "nfs" else ""
    assert {"--reuid=nobody", "--no-new-privs", f"--inh-caps=-all{kept}", f"--bounding-set=-all{kept}"} <= set(
        server.argv
    )
    assert "198.18.0.1" in record.attachments["configuration"]["text"]
    assert "0.0.0.0" not in record.attachments["configuration"]["text"]


def test_every_load_goes_through_nbd_with_frames_that_nobody_cuts(bed):
    record = share(bed, "nbd", loads="all", mtu="9000", offloads="off")
    assert (record.status, record.reason) == ("ok", None)
    found = values(record)
    assert found.keys() == families.metrics("network_share").keys() - METRICS.keys()
    assert 1.006 < found["read_wire_ratio"] < 1.04, "66 bytes before at most 8,948, and what the client answers"
    assert len(held(record, "cold_proof")) == 8 and len(record.attachments) == 8
    assert (record.environment["link.mtu"], record.environment["link.offloads"]) == ("9000", "off")


def test_the_same_disk_without_a_network_has_neither_wire_nor_server(bed):
    record = share(bed, "local")
    assert record.status == "ok" and held(record, "delivered") == []
    assert not {name for name in values(record) if "wire" in name or "server" in name}


def test_a_server_that_crashes_in_mid_trial_is_a_failed_subject(bed, tools):
    real = shutil.which("nbdkit", path=programs.search_path())
    if real is None:
        pytest.skip("nbdkit is not here")
    script(
        tools,
        "nbdkit",
        f'[ "$1" = --version ] && exec {real} --version\n{real} "$@" &\nsleep 1\nkill -9 $!\n'
        "echo 'it crashed' >&2\nexit 3\n",
    )
    amount = AMOUNT | {"scale": AMOUNT["scale"] | {"seconds": 5}}
    script(tools, "fio", 'exec /usr/bin/fio "$@" --rate=2m\n')  # so that the first load still runs then
    record = share(bed, "nbd", amount)
    assert record.status == "failed" and record.reason.startswith(
        "nbdkit ended with exit code 3: it crashed; meanwhile: "
    )


def test_what_arrives_otherwise_than_it_was_sent_is_invalid(bed, tools):
    script(
        tools,
        "nbdcopy",
        '/usr/bin/nbdcopy "$@" || exit\ncase "$2" in /*) printf x | dd of="$2" conv=notrunc status=none;; esac\n',
    )
    record = share(bed, "nbd")
    assert record.status == "invalid" and "content does not hold" in record.reason and "fetched" in record.reason


def test_a_full_disk_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "65536"])  # 16 MiB of inode tables
    record = share(
        bed,
        "nbd",
        {"image_size": "40 MiB", "scale": AMOUNT["scale"] | {"file_size": "19 MiB", "task_seconds": 0.1}},
        filesystem="cramped",
    )
    assert record.status == "failed" and "store: " in record.reason and "No space left on device" in record.reason


@pytest.mark.usefixtures("versions_found_anew")
@pytest.mark.parametrize(("missing", "package"), [("nbdcopy", "libnbd-bin"), ("nbdkit", "nbdkit")])
def test_without_client_or_server_a_share_is_unsupported(bed, tmp_path, monkeypatch, missing, package):
    folder = programs.link_all(tmp_path / "programs")
    (folder / missing).unlink()
    monkeypatch.setenv(programs.ONLY, str(folder))
    record = share(bed, "nbd")
    assert (record.status, record.reason) == (
        "unsupported",
        f"{missing} is not installed: the package {package} brings it",
    )


def test_a_link_that_is_torn_down_under_a_load_is_no_result(bed, tools):
    script(
        tools,
        "fio",
        'for one in $(ip -o link show type veth | sed -n "s/^[0-9]*: \\(link[0-9a-f]*\\)@.*/\\1/p"); do\n'
        '  ip link delete "$one"\ndone\nexec /usr/bin/fio "$@"\n',
    )
    spec = planned(bed, "nbd")
    assert "the link was removed while it was measured" in bed.call(spec, code=1)
    assert not (spec.parent / "rep-1.json").exists() and bed.leftovers() == []


def test_on_a_testbed_without_a_network_it_is_refused_before_anything_is_measured(bed):
    bed.testbed = f"{bed.testbed}-disk"
    with pytest.raises(Exception, match="network"):
        share(bed, "nbd")


@pytest.mark.parametrize("protocol", ["smb", "nfs", "webdav"])
def test_editors_work_on_each_share(bed, protocol):
    """The clients read, list and create on the real servers; the gate `content` compares what the card and the recording became."""
    need(protocol)
    # long enough that each load reads more than the megabyte that packets may hold on a slow machine
    record = share(bed, protocol, AMOUNT | {"scale": AMOUNT["scale"] | {"seconds": 0.5}}, loads="all")
    assert (record.status, record.reason) == ("ok", None)
    found, missing = values(record), {key for key in record.environment if key.startswith("absent.")}
    folder = {"folder_seconds", "folder_cpu_seconds"}
    expected = METRICS.keys() - (folder if protocol == "webdav" else set())
    assert expected <= found.keys() and (missing >= {f"absent.{name}" for name in folder}) is (protocol == "webdav")
    assert 0 < found["scrub_seconds"] <= found["scrub_p99_seconds"]
    card = record.experiment.factors["editing"]["card_bytes"]
    assert found["card_bytes_per_second"] * found["card_seconds"] == pytest.approx(card)
    assert held(record, "content") == [True] * 4 and len(held(record, "cold_proof")) >= 8


def test_a_film_is_scrubbed_as_often_as_in_the_long_profiles(bed):
    """Only the end of a program's output is kept, so that a time for each of 200 reads is too much to report."""
    scale = AMOUNT["scale"] | {"file_size": "256 MiB", "scrubs": 200}
    record = share(bed, "nfs", {"image_size": "768 MiB", "scale": scale}, loads="all")
    assert (record.status, record.reason) == ("ok", None)
    assert 0 < values(record)["scrub_seconds"] <= values(record)["scrub_p99_seconds"]


def test_a_block_device_for_one_writer_has_no_tasks_of_editors(bed):
    record = share(bed, "nbd", loads="all")
    assert record.status == "ok" and not METRICS.keys() & values(record).keys()
    assert record.environment["absent.card_seconds"] == "a block device for one writer is not a share"
