"""A virtual machine measures for real, filesystems that this kernel may lack too: it is killed, hangs and crashes."""

import os
import signal
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bed import PROFILE, Bed
from families_bed import planned, values
from spindlemark import config
from spindlemark.core.outcome import Unsupported
from spindlemark.core.paths import ROOT, record_path
from spindlemark.core.process import programs
from spindlemark.core.record import read_record
from spindlemark.harness import session
from spindlemark.measure import plan
from spindlemark.testbeds.vm import machine, packages, pins, processes, userland

SECONDS = 900  # more than a machine's limits of booting and of a repetition together
KERNELS = str(ROOT / "data" / "build" / "kernels")
FILESYSTEMS = ["jfs", "reiserfs"]
# A user's own tool, which tells what a command inside finds in its PATH.
SPY = """#!/bin/sh
IFS=:
for folder in $PATH; do for program in "$folder"/*; do echo "${program##*/}"; done; done
exec mkfs.ext4 -q -F "$@"
"""


class VirtualBed(Bed):
    """A bed whose testbed is a virtual machine; its kernels are those of the project, in the folder `kernels`."""

    def __init__(self, root: Path, kernels: Path) -> None:
        super().__init__(root)
        self.write(
            "testbeds",
            self.testbed,
            {
                "description": "For a test",
                "kind": "vm",
                "kernel": "bookworm",
                "kernels": str(kernels),
                "cpus": 2,
                "directory": str(self.images),
                "direct_io": True,
                "scheduler": "none",
                "memory": "3 GiB",  # two disks of 512 MiB of the family integrity are in it
                "source_directory": "/dev/shm",
                "busy_bound": 0.1,
                "boot_seconds": 480,
                "silence_seconds": 15,
                "repetition_seconds": 240,
                "idle_seconds": 240,
            },
        )
        self.write("profiles", "tiny", PROFILE)
        self.write(
            "experiments",
            "filesystem_lifecycle",
            {"description": "Two", "sets": [{"factors": {"filesystem": FILESYSTEMS, "library": ["picture"]}}]},
        )
        made, specs = plan.make(config.load(root / "config"), plan.Request(profile="tiny", testbed=self.testbed))
        plan.write(made, specs, root)
        self.specs = dict(zip(FILESYSTEMS, (root / e.spec for e in made.experiments), strict=True))
        self.specs["nilfs2"] = self.spec("nilfs2")
        self.specs["larger"] = self.spec("ext3", image_size="400 MiB")
        spy = root / "mkfs.spy"
        spy.write_text(SPY)
        spy.chmod(0o755)
        self.declare_filesystem("spy", mkfs=[str(spy)])
        self.spied = self.spec("spy")
        panic = root / "mkfs.panic"
        panic.write_text("#!/bin/sh\necho c > /proc/sysrq-trigger\n")
        panic.chmod(0o755)
        self.declare_filesystem("panic", mkfs=[str(panic)])
        self.specs["panic"] = self.spec("panic")
        self.declare_filesystem("absent", module="absentfs")
        self.specs["absent"] = self.spec("absent")

    def record(self, filesystem: str, repetition: int, meddle=lambda: None):
        """Measure one repetition; `meddle` is called once its copy runs. The record."""
        self.ended(filesystem, repetition, meddle)
        return read_record(record_path(self.specs[filesystem], repetition))

    def ended(self, filesystem: str, repetition: int, meddle, code: int = 0) -> str:
        """The same, and what was printed instead of the record."""
        process = self.measure(self.specs[filesystem], repetition)
        give_up = time.monotonic() + SECONDS
        while process.poll() is None:
            assert time.monotonic() < give_up, "it does not end"
            if meddle and self.running().get("step") == "copy":
                meddle()
                meddle = None
            time.sleep(0.05)
        out, _ = process.communicate()
        assert process.returncode == code, out
        return out

    def machine(self) -> processes.Machine:
        return machine.running(self.testbed, config.load(self.root / "config").testbeds[self.testbed])

    def processes(self) -> list[int]:
        """The machine's processes: each has its folder as working directory."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if str((process / "cwd").readlink()).startswith(f"{self.images}/"):
                    found.append(int(process.name))
            except OSError:
                continue
        return sorted(found)

    def signal_qemu(self, signum: int) -> None:
        for pid in self.processes():
            if b"qemu-system" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]:
                os.kill(pid, signum)


@pytest.fixture(scope="module")
def bed(tmp_path_factory):
    if os.geteuid() != 0:
        pytest.skip("a virtual machine's disk image needs root")
    try:
        packages.fetch(KERNELS, "bookworm")
    except Unsupported as unsupported:
        pytest.skip(unsupported.reason)
    if machine.missing_tools():
        pytest.skip(f"not here: {', '.join(machine.missing_tools())}")
    # The guest mounts an empty folder on /var/tmp, as a clone there would find it.
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="spindlemark-test-") as hidden:
        subprocess.run(["mount", "--bind", KERNELS, hidden], check=True)
        try:
            made = VirtualBed(tmp_path_factory.mktemp("vm"), Path(hidden))
            yield made
            made.remove()
        finally:
            subprocess.run(["umount", "--lazy", hidden], check=True)


def test_the_trial_boots_once_and_tells_what_the_kernel_lacks(bed):
    """The plan written last asks for one filesystem that no kernel has."""
    run = bed.root / "run"
    trial = bed.start("--try", bed.testbed, "--run", run, "--output", bed.root / "tried")
    out, _ = trial.communicate(timeout=SECONDS)
    assert trial.returncode == 0 and (bed.root / "tried").exists(), out
    release = packages.cached(KERNELS, "bookworm").release
    assert (bed.root / "tried").read_text() == f"kernel {release} has no absentfs\n", out


def test_repetitions_take_over_the_machine_of_the_trial(bed):
    booted = bed.machine()
    assert booted and booted.alive()
    records = {name: bed.record(name, 1) for name in ("jfs", "larger")}
    assert bed.machine() == booted
    kernel, seated = packages.cached(KERNELS, "bookworm"), session.present(datetime.now(UTC))
    for filesystem, record in records.items():
        assert record.status == "ok", record.reason
        values = {m.metric: m.value for m in record.measurements}
        assert values["copy_seconds"] > 0 and values["check_seconds"] > 0
        assert record.experiment.fingerprint["kernel"] == kernel.release == record.environment["kernel.release"]
        assert record.environment["host.kernel.release"] == os.uname().release
        facts = record.experiment.fingerprint["machine"]
        assert facts["accelerator"] in ("kvm", "tcg") and facts["emulated"] == (facts["accelerator"] == "tcg")
        assert record.environment["device.kind"] == "vm" and len(record.environment) >= 50
        name, size = ("jfs", 320) if filesystem == "jfs" else ("ext3", 400)
        assert {c.argv[0] for c in record.commands} >= {f"mkfs.{name}", "cp", "rm"}
        assert record.environment["device.bytes"] == size << 20
        assert any(gate.gate == "quiet_machine" and gate.step is None for gate in record.validity)
        assert record.environment["session.boot"] == seated["session.boot"], "the host's"
        assert record.environment["run.looks"] == 0 and values["copy_device_written_bytes"] > 0


def test_commands_inside_find_what_is_declared_and_nothing_else(bed):
    bed.call(bed.spied)
    record = read_record(record_path(bed.spied, 1))
    assert record.status == "ok", record.reason
    found = set(next(c for c in record.commands if c.argv[0].endswith("mkfs.spy")).stdout.split())
    assert found - {"zpool", "zfs"} == {
        tool.name
        for tool in programs.declared_tools()
        if tool.group == userland.GROUP
        and programs.find(tool.name)
        and tool.name not in ("busybox", "qemu-system-x86_64")
    }
    kernel = packages.cached(KERNELS, "bookworm")
    assert record.environment["kernel.fetched.sha256"] == kernel.sha256 == pins.pinned("bookworm").sha256


def test_a_tool_that_looks_for_what_a_minimal_host_lacks_finds_it(bed):
    """mkfs.nilfs2 ends without /etc/mtab, which a minimal Debian has not."""
    assert bed.record("nilfs2", 1).status == "ok"


@pytest.mark.parametrize(
    ("filesystem", "copies", "outcome"),
    [
        ("f2fs", "one", "silent"),
        ("ext4", "dm-integrity", "detected"),
        ("zfs", "one", "detected"),
        ("zfs", "dup", "repaired"),
        ("zfs", "raid1", "repaired"),
    ],
)
def test_faults_in_data_have_the_known_outcome(bed, filesystem, copies, outcome):
    if filesystem == "zfs" and not packages.cached(KERNELS, "bookworm").has("zfs"):
        pytest.skip("ZFS is not built: ./spindlemark run --profile standard --family integrity builds it")
    amount = {"image_size": "320 MiB", "scale": {"bits": 6, "sectors": 4, "files": 20}}
    spec = planned(bed, "integrity", filesystem, amount, copies=copies, place="data", fault="sector")
    bed.call(spec)
    record = read_record(record_path(spec, 1))
    assert record.status == "ok", record.reason
    assert values(record)["faults_count"] == values(record)[f"{outcome}_count"] == 4


def test_a_recorded_disk_and_its_programs_work_inside(bed):
    amount = {"image_size": "320 MiB", "scale": {"seconds": 2, "earliest_seconds": 1, "cuts": 1}}
    spec = planned(bed, "recording_survival", "f2fs", amount, sync="fsync-1-s", rate="10-mbit")
    bed.call(spec)
    record = read_record(record_path(spec, 1))
    assert record.status == "ok", record.reason
    assert values(record)["recording_clean_ratio"] == 1 and values(record)["recording_synced_lost_bytes"] == 0


def test_a_machine_that_is_killed_is_no_result(bed):
    out = bed.ended("jfs", 2, lambda: bed.signal_qemu(signal.SIGKILL), code=1)
    assert "the virtual machine ended while in step copy" in out
    assert not record_path(bed.specs["jfs"], 2).exists() and bed.processes() == [] and bed.leftovers() == []
    assert read_record(record_path(bed.specs["jfs"], 1)).status == "ok"


def test_the_next_repetition_boots_another_machine_which_is_ended_at_its_limit_when_it_hangs(bed):
    record = bed.record("reiserfs", 1, lambda: bed.signal_qemu(signal.SIGSTOP))
    assert record.status == "failed"
    assert "the virtual machine showed no activity for 15 s while in step copy" in record.reason
    assert bed.processes() == [] and bed.leftovers() == []


def test_a_kernel_that_crashes_is_a_failed_subject(bed):
    record = bed.record("panic", 1)
    assert record.status == "failed" and "in step format" in record.reason and "Kernel panic" in record.reason
    assert bed.processes() == [] and bed.leftovers() == []


def test_clean_ends_a_machine_and_leaves_nothing(bed):
    bed.clean()
    assert bed.processes() == [] and bed.leftovers() == []
    assert not list(bed.images.glob("*"))
