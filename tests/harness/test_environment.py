"""What is read from the machine: mounts, load, environment, fingerprint."""

import getpass
import json
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spindlemark import config
from spindlemark.harness import environment
from spindlemark.testbeds import device, fingerprint, kernel, load, other_traffic
from spindlemark.testbeds.computer import cpu_model

TOOLS = {"coreutils": ("cp", "--version"), "e2fsprogs": ("mkfs.nonesuch", "-V")}
MIB = 1 << 20


def test_mountinfo_with_escapes_and_optional_fields(tmp_path):
    file = tmp_path / "mountinfo"
    file.write_text(
        "36 35 7:3 / /mnt/my\\040films rw,noatime master:1 - ext4 /dev/loop3 rw,data=ordered\n"
        "37 35 0:45 / /b rw shared:2 master:1 propagate_from:3 - btrfs /dev/sda2 rw,ssd\n"
    )
    first, second = kernel.mounts(file)
    assert (str(first.point), first.number, first.source) == ("/mnt/my films", "7:3", "/dev/loop3")
    assert first.options == "rw,noatime,data=ordered"
    assert (second.filesystem, second.source, second.options) == ("btrfs", "/dev/sda2", "rw,ssd")


def test_all_namespaces_hold_at_least_our_own_mounts():
    assert set(kernel.mounts()) <= set(kernel.mounts_everywhere())


@pytest.mark.parametrize(
    ("working", "kthreads", "own", "stolen", "expected"),
    [
        (4.0, 1.0, 3.0, 0.0, 0.0),  # all of it ours
        (4.0, 1.0, 1.0, 0.0, 0.5),  # two seconds of others on two CPUs in two seconds
        (2.0, 0.0, 2.0, 1.0, 0.25),  # only stolen
        (1.0, 1.5, 0.0, 0.0, 0.0),  # coarse ticks: never negative
        (1.04, 0.0, 1.0, 0.0, 0.0),  # four ticks: not to be told from none
        (9.0, 0.0, 0.0, 9.0, 1.0),  # never above one
    ],
)
def test_share_of_others(monkeypatch, working, kthreads, own, stolen, expected):
    monkeypatch.setattr(load.os, "cpu_count", lambda: 2)
    before = load.CpuTimes(10.0, 100.0, 5.0, 20.0, 1.0)
    after = load.CpuTimes(12.0, 100.0 + working, 5.0 + stolen, 20.0 + kthreads, 1.0 + own)
    assert load.share_of_others(before, after) == pytest.approx(expected)


def test_work_in_the_kernel_is_nobodys_where_its_threads_are_hidden(monkeypatch):
    """In a container the loop device's thread would look like another process."""
    monkeypatch.setattr(load.os, "cpu_count", lambda: 2)
    before = load.CpuTimes(10.0, 100.0, 5.0, None, 1.0, 50.0, 0.5)
    assert load.share_of_others(before, load.CpuTimes(12.0, 102.0, 5.0, None, 2.0, 50.3, 0.8)) == 0, (
        "a second of a kernel thread"
    )
    assert load.share_of_others(before, load.CpuTimes(12.0, 102.0, 5.0, None, 2.0, 51.3, 0.8)) == pytest.approx(0.25)
    ours = load.CpuTimes(12.0, 102.0, 5.0, None, 2.0, 51.3, 0.8).with_own(1.0)
    assert (load.share_of_others(before, ours), ours.own) == (0, 3.0)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for a PID namespace")
def test_hidden_kernel_threads_are_noticed():
    assert load.cpu_times().kernel is None or load.cpu_times().kernel > 0
    code = "from spindlemark.testbeds import load; assert load.cpu_times().kernel is None"
    subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-P", "-c", code], check=True)


def test_accounts_count_this_process_as_ours():
    before = load.cpu_times()
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    after = load.cpu_times()
    assert after.own - before.own >= 0.29
    assert after.working - before.working >= 0.2


def test_samples_have_one_value_per_moment(tmp_path):
    stat = tmp_path / "stat"
    stat.write_text("1 0 8 0 2 0 16 0 0 0 0 0")
    with load.Sampler({"device": stat}) as sampler:
        time.sleep(0.6)
        stat.write_text("1 0 8 0 2 0 2064 0 0 0 0 0")
        time.sleep(0.3)
    series = {s.name: s for s in sampler.series()}
    assert {"cpu_busy", "cpu_stolen", "memory_dirty", "device_written", "device_read"} <= series.keys()
    written = series["device_written"]
    assert len(written.values) == len(written.seconds) >= 3
    gaps = [b - a for a, b in zip([0.0, *written.seconds], written.seconds, strict=False)]
    assert sum(v * g for v, g in zip(written.values, gaps, strict=True)) == pytest.approx(2048 * 512, rel=0.02)
    assert all(0 <= v <= 1 for v in series["cpu_busy"].values)


def test_the_processor_has_its_name_and_its_number_apart():
    fields = environment.machine()
    assert fields["cpu.model"] == cpu_model()
    number = re.search(r"^model\s*:\s*(\d+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    assert fields["cpu.model_number"] == (number[1] if number else None)


def stat(file, read_bytes, written_bytes, busy_milliseconds):
    file.write_text(f"7 0 {read_bytes // 512} 0 5 0 {written_bytes // 512} 0 0 {busy_milliseconds} 0 0 0 0 0 0 0")
    return {"device": file, "backing": file}


@pytest.mark.parametrize(
    ("moved", "ours", "busy", "expected"),
    [
        (100, 100, 900, 0.0),  # all of it ours
        (108, 100, 900, 0.0),  # and what the filesystem below adds
        (211, 100, 1000, 0.1185),  # others moved half of the bytes, in an eighth of the time
        (400, 0, 2000, 0.4988),
        (100, 0, 40, 0.0),  # 40 ms of four seconds are not to be told from none
        (0.5, 0, 3000, 0.0),  # a journal of its own
        (50, 100, 900, 0.0),  # what is not written through yet
    ],
)
def test_share_of_others_in_the_disk_below(tmp_path, moved, ours, busy, expected):
    counters = stat(tmp_path / "stat", 1 << 30, 1 << 30, 5000)
    begun = other_traffic.DiskBelow.of(counters)
    stat(tmp_path / "stat", 1 << 30, (1 << 30) + int(moved * MIB), 5000 + busy)
    ours = device.Traffic(0, 9, 0, ours * MIB)
    assert begun.others(ours, 4.0) == pytest.approx(expected, abs=0.002)


def test_a_device_in_memory_has_no_disk_to_disturb(tmp_path):
    assert other_traffic.DiskBelow.of({"device": tmp_path / "stat"}) is None


def test_the_environment_says_much_and_names_nobody():
    fields = environment.lasting() | environment.passing()
    assert len(fields) >= 50
    assert all(v is None or isinstance(v, str | int | float | bool) for v in fields.values())
    assert {
        "kernel.release",
        "cpu.model",
        "cpu.count",
        "memory.total_bytes",
        "clock.source",
        "timezone",
        "python.version",
        "project.commit",
        "sysctl.vm.dirty_ratio",
        "virtualisation",
    } <= fields.keys()
    text = json.dumps(fields)
    assert platform.node() not in [str(v) for v in fields.values()]
    assert getpass.getuser() not in [str(v) for v in fields.values()]
    assert not re.search(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", text), "a hardware address"
    assert not re.search(r"\b(?:10|127|172|192)(?:\.\d{1,3}){3}\b", text), "an address"


def test_kernel_arguments_are_shown_by_name_only_when_they_change_speed(monkeypatch):
    line = "root=UUID=5a1c-0f9e mitigations=off password=hunter2 nosmt ip=192.168.0.7"
    real = environment._read
    monkeypatch.setattr(environment, "_read", lambda p: line if str(p) == "/proc/cmdline" else real(p))
    fields = environment.lasting()
    assert fields["kernel.argument.mitigations"] == "off" and fields["kernel.argument.nosmt"] is True
    assert fields["kernel.arguments"] == 5
    assert not any(secret in json.dumps(fields) for secret in ("hunter2", "192.168.0.7", "5a1c-0f9e"))


def declared(folder):
    return config.LoopTestbed(
        description="",
        kind="loop",
        directory=str(folder),
        direct_io=True,
        scheduler="none",
        source_directory="/dev/shm",
        busy_bound=0.1,
    )


def test_two_clones_on_one_disk_have_one_fingerprint(tmp_path):
    prints = [
        fingerprint.of("loop", declared(tmp_path / name / "not/there/yet"), 1 << 30, TOOLS, ["ext4"])
        for name in ("a", "b")
    ]
    assert prints[0] == prints[1]
    assert prints[0]["device"]["bytes"] == 1 << 30 and prints[0]["device"]["kind"] == "loop"
    assert prints[0]["kernel"] == platform.release()


def test_what_is_missing_shows_in_the_fingerprint(tmp_path):
    tools = fingerprint.of("loop", declared(tmp_path), 1, TOOLS, ["nosuchfs"])["tools"]
    assert tools["e2fsprogs"] is None and tools["kernel module nosuchfs"] is None
    assert re.fullmatch(r"\d+\.\d+.*", tools["coreutils"])
