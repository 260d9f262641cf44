"""The driver on real loop devices: what it records, when it refuses, and that it takes everything away again."""

import json
import math
import re
from pathlib import Path

import pytest

from spindlemark.core import events
from spindlemark.core.record import NOISE, read_record
from spindlemark.families import registry as families
from spindlemark.testbeds import kernel

MIB = 1 << 20
MAY_BE_NONE = re.compile(r"reserved_bytes|\w+_device_(reads_count|writes_count|read_bytes|written_bytes)")
SESSION = ("session.id", "session.boot", "session.day")


def result(spec, repetition=1):
    return read_record(spec.parent / f"rep-{repetition}.json")


@pytest.mark.parametrize("filesystem", ["ext3", "ext4", "xfs", "btrfs"])
def test_a_life_is_measured_completely(bed, filesystem):
    spec = bed.spec(filesystem)
    bed.call(spec)
    record = result(spec)
    assert (record.status, record.reason) == ("ok", None)
    values = {m.metric: m.value for m in record.measurements}
    absent = {"inodes_created_count"} if filesystem == "btrfs" else set()
    absent |= {"seek_median_seconds", "seek_p99_seconds"}  # the library has no file of 16 MiB
    assert values.keys() == families.metrics("filesystem_lifecycle").keys() - absent
    assert all(math.isfinite(value) for value in values.values())
    assert all(value > 0 or MAY_BE_NONE.fullmatch(metric) for metric, value in values.items())
    library = record.experiment.factors["library"]
    assert values["inodes_needed_count"] == library["files"] + library["directories"]
    assert values["statfs_overhead_ratio"] == values["used_after_copy_bytes"] / library["total"] >= 1
    lost = round(values["space_overhead_ratio"] * library["total"])  # what nobody gets any more, root neither
    size = record.experiment.fingerprint["device"]["bytes"]
    assert values["used_after_copy_bytes"] <= lost <= size - values["free_after_copy_bytes"]
    if filesystem == "ext4":
        assert lost >= values["used_after_copy_bytes"] + 4 * MIB, "the journal alone is that large"
    asked_for_work(record, values, library["total"])
    copied = [c.seconds for c in record.commands if c.step == "copy"]
    assert values["copy_seconds"] == pytest.approx(sum(copied)) and len(copied) == 2
    assert values["copy_sync_seconds"] == copied[1]
    disk = {"quiet_disk"} if kernel.disk_below(bed.images)[1] else set()
    assert {g.gate for g in record.validity} == {"cold_proof", "completeness", "quiet_machine", "clock", "space", *disk}
    assert all(g.ok for g in record.validity if g.gate not in NOISE)
    assert str(bed.root) not in record.model_dump_json()
    assert len(record.environment) >= 50 and record.environment["device.direct_io"] is True
    below = {"backing_written"} if kernel.disk_below(bed.images)[1] else set()  # none below a folder in memory
    assert {"cpu_busy", "device_written"} | below <= {s.name for s in record.series}
    assert bed.leftovers() == []


def asked_for_work(record, values, payload):
    """What steps asked of device and processors, and what each command cost."""
    assert values["copy_device_written_bytes"] >= payload and values["copy_device_writes_count"] >= payload / (4 * MIB)
    assert values["check_device_read_bytes"] >= 512 * values["check_device_reads_count"] > 0
    for step in ("copy", "read", "verify", "scan", "check", "delete"):
        ran = [c for c in record.commands if c.step == step]
        spent = sum(c.user_seconds + c.system_seconds for c in ran)
        runs = len(ran) if step in ("scan", "check") else 1
        assert values[f"{step}_cpu_seconds"] == pytest.approx(spent / runs)
    for step in ("scan", "backup", "check"):
        ran = [c.seconds for c in record.commands if c.step == step]
        assert values[f"{step}_seconds"] == pytest.approx(sum(ran) / len(ran))
        assert len(ran) == 1 if ran[0] < 0.05 else sum(ran) >= 1 or len(ran) == 5
    assert values["read_device_read_bytes"] >= payload <= values["verify_device_read_bytes"]
    assert values["browse_median_seconds"] <= values["browse_p99_seconds"]
    copied = next(c for c in record.commands if c.argv[0] == "cp")
    assert 0 < copied.user_seconds + copied.system_seconds < 2 * copied.seconds + 0.1
    assert copied.minor_faults > 50 and copied.major_faults >= 0


def test_a_record_says_in_which_session_it_was_made(bed):
    spec = bed.spec("ext4")
    bed.call(spec, 1)
    run = bed.root / "data/build/runs/a"
    run.mkdir(parents=True)
    record = str((spec.parent / "rep-2.json").relative_to(bed.root))
    (run / "provenance.json").write_text(json.dumps({"run": "a", "interim_analyses": 3, "blocks": {record: 7}}))
    bed.call(spec, 2, "--run", run)
    first, second = result(spec, 1).environment, result(spec, 2).environment
    assert re.fullmatch(r"20\d\d-\d\d-\d\d-[0-9a-f]{4}", first["session.id"])
    assert first["session.id"] == f"{first['session.day']}-{first['session.boot'][:4]}"
    assert {key: first[key] for key in SESSION} == {key: second[key] for key in SESSION}
    assert (first["run.looks"], second["run.looks"]) == (0, 3)
    assert ("run.round" in first, second["run.round"]) == (False, "a.7")
    assert Path("/proc/sys/kernel/random/boot_id").read_text().strip() not in result(spec, 1).model_dump_json()


def test_what_others_do_to_the_disk_marks_a_step(bed):
    """A tool that stands for them: it writes beside the image, past the page cache, before it makes the filesystem."""
    below = kernel.disk_below(bed.images)[1]
    if below is None:
        pytest.skip("no disk below the folder for images")
    tool = bed.root / "mkfs.beside"
    tool.write_text(
        f"#!/bin/sh\ndd if=/dev/zero of={bed.images}/other bs=1M count=256 oflag=direct 2>/dev/null\n"
        f'rm {bed.images}/other\nexec mkfs.ext4 -q -F "$@"\n'
    )
    tool.chmod(0o755)
    bed.declare_filesystem("beside", mkfs=[str(tool)])
    spec = bed.spec("beside")
    bed.call(spec)
    assert result(spec).status == "ok"
    marked = {g.step: g for g in result(spec).validity if g.gate == "quiet_disk"}
    assert not marked["format"].ok and marked["format"].observed > marked["format"].bound == 0.1
    assert "disk below" in marked["format"].detail and marked["mount"].ok


def test_a_full_disk_is_a_failed_subject(bed):
    bed.declare_filesystem("cramped", mkfs=["mkfs.ext4", "-q", "-F", "-N", "65536"])  # 16 MiB of inode tables
    spec = bed.spec("cramped", image_size="40 MiB")
    assert "failed" in bed.call(spec)
    record = result(spec)
    assert record.status == "failed" and "No space left on device" in record.reason
    assert record.commands[-1].argv[0] == "cp" and record.commands[-1].exit_code != 0
    assert "copy_seconds" not in {m.metric for m in record.measurements}
    assert bed.leftovers() == []


def test_a_check_that_finds_errors_is_a_failed_subject(bed):
    bed.declare_filesystem("damaged", check=["false"])
    spec = bed.spec("damaged")
    bed.call(spec)
    assert result(spec).status == "failed" and "false ended with exit code 1" in result(spec).reason


def test_a_missing_tool_is_unsupported(bed):
    bed.declare_filesystem("absent", mkfs=["mkfs.absent"], version=["mkfs.absent", "-V"], package="absent-progs")
    spec = bed.spec("absent")
    assert json.loads(spec.read_text())["experiment"]["fingerprint"]["tools"]["absent-progs"] is None
    bed.call(spec)
    assert result(spec).status == "unsupported" and "absent-progs" in result(spec).reason
    assert bed.leftovers() == []


def test_a_missing_kernel_module_is_unsupported(bed):
    bed.declare_filesystem("nosuchfs", module="nosuchfs")
    spec = bed.spec("nosuchfs")
    bed.call(spec)
    assert result(spec).status == "unsupported" and "nosuchfs" in result(spec).reason


def test_a_hung_command_is_killed_with_its_children(bed):
    tool = bed.root / "mkfs.hung"
    tool.write_text("#!/bin/sh\nsleep 4711 &\nsleep 4711\n")
    tool.chmod(0o755)
    bed.declare_filesystem("hung", mkfs=[str(tool)])
    spec = bed.spec("hung")
    bed.call(spec, 1, "--limit-seconds", "1")
    record = result(spec)
    assert record.status == "failed" and "killed after 1 s" in record.reason
    assert 1 <= record.commands[-1].seconds < 10
    assert not processes("4711")
    assert bed.leftovers() == []


def test_less_written_than_copied_is_invalid(bed):
    """btrfs folds zeros away when it compresses: the device did not move the payload, so the time proves nothing."""
    bed.declare_filesystem("folded", like="btrfs", variants={"default": {"mkfs": [], "mount": ["compress-force=zstd"]}})
    spec = bed.spec("folded", content="zero")
    bed.call(spec)
    assert result(spec).status == "invalid" and "cold_proof" in result(spec).reason


def test_a_record_that_is_there_is_a_success_and_stays(bed):
    spec = bed.spec("ext4")
    bed.call(spec)
    before = (spec.parent / "rep-1.json").read_bytes()
    bed.write("profiles", "tiny", {"nonsense": 1})  # asked before anything else is read
    assert "ext4--picture #1: ok" in bed.call(spec)
    assert (spec.parent / "rep-1.json").read_bytes() == before
    bed.spec("ext4")  # sound again, to be cleaned


@pytest.mark.parametrize("sign", ["KILL", "TERM"])
def test_a_command_that_is_ended_from_outside_is_no_result(bed, sign):
    tool = bed.root / "mkfs.shot"
    tool.write_text(f"#!/bin/sh\nkill -{sign} $$\n")
    tool.chmod(0o755)
    bed.declare_filesystem("shot", mkfs=[str(tool)])
    spec = bed.spec("shot")
    assert f"ended from outside by SIG{sign}" in bed.call(spec, code=1)
    assert not (spec.parent / "rep-1.json").exists() and bed.leftovers() == []


def test_a_library_that_is_taken_away_is_no_result(bed):
    """A tool that stands for the other process: it deletes the library as soon as the filesystem is made."""
    tool = bed.root / "mkfs.thief"
    tool.write_text(f'#!/bin/sh\nrm -rf {bed.memory}/spindlemark-*/*\nexec mkfs.ext4 -q -F "$@"\n')
    tool.chmod(0o755)
    bed.declare_filesystem("robbed", mkfs=[str(tool)])
    spec = bed.spec("robbed")
    assert "the library was removed" in bed.call(spec, code=1)
    assert not (spec.parent / "rep-1.json").exists() and bed.leftovers() == []


def test_a_command_that_crashes_by_itself_is_a_failed_subject(bed):
    tool = bed.root / "mkfs.crashing"
    tool.write_text("#!/bin/sh\nkill -SEGV $$\n")
    tool.chmod(0o755)
    bed.declare_filesystem("crashing", mkfs=[str(tool)])
    bed.call(spec := bed.spec("crashing"))
    assert result(spec).status == "failed"


def test_a_harness_failure_is_reported_and_is_no_result(bed, monkeypatch):
    """Its manner is the same each time, and nothing of the number of a process."""
    tool = bed.root / "mkfs.shot"
    tool.write_text("#!/bin/sh\nkill -KILL $$\n")
    tool.chmod(0o755)
    bed.declare_filesystem("shot", mkfs=[str(tool)])
    spec = bed.spec("shot")
    monkeypatch.setenv(events.VARIABLE, str(bed.root / "events.jsonl"))
    for repetition in (1, 2):
        bed.call(spec, repetition, code=1)
    first, second = events.Reader(bed.root / "events.jsonl").new()
    assert (first["event"], first["testbed"]) == ("harness_failed", bed.testbed)
    assert "SIGKILL" in first["manner"] and first["manner"] == second["manner"]
    assert not list(spec.parent.glob("rep-*.json"))


@pytest.mark.parametrize(
    ("profile", "named"),
    [
        ({"image_size": "24 MiB"}, "config/profiles/tiny.yaml"),
        ({"image_size": "900 TiB"}, "image_size"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_remedy(bed, profile, named):
    spec = bed.spec("ext4", **profile)
    out = bed.call(spec, code=2)
    assert named in out and "Traceback" not in out
    assert not list(spec.parent.glob("*rep-1*")) and bed.leftovers() == []


def test_another_machine_must_plan_again(bed):
    spec = bed.spec("ext4")
    bed.declare_filesystem("ext4", version=["mkfs.xfs", "-V"])
    out = bed.call(spec, code=2)
    assert "tools differ" in out and "./spindlemark run" in out
    assert bed.leftovers() == []


def test_an_image_that_is_not_ours_stays(bed):
    spec = bed.spec("ext4")
    foreign = bed.images / f"spindlemark-{bed.testbed}.img"
    bed.images.mkdir()
    foreign.write_bytes(b"precious" * 1000)
    assert "move it away" in bed.call(spec, code=2)
    bed.clean()
    assert foreign.read_bytes() == b"precious" * 1000
    foreign.unlink()


def processes(word: str) -> list[str]:
    from pathlib import Path

    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in entry.read_bytes().split(b"\0"):
                found.append(entry.parent.name)
        except OSError:
            continue
    return found
