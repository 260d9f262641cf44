"""A modelled disk as a block device: what the kernel sees, what a load sees, and what a kill leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from disks import MIB, call, freed
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute
from spindlemark.testbeds import disk, disk_model, kernel, mountpoint

SIZE = 128 * MIB


def run(argv):
    return execute(argv, 60)


@pytest.fixture
def memory(private, tmp_path):
    """A small memory of our own."""
    call("mount", "-t", "tmpfs", "-o", "size=256m,mode=755", "tmpfs", tmp_path)
    yield tmp_path
    call("umount", tmp_path)


@pytest.fixture
def declared(memory):
    return config.load().testbeds["hdd"].model_copy(update={"memory": str(memory), "source_directory": str(memory)})


@pytest.fixture
def cleaned(testbed, declared):
    yield
    for _ in range(2):
        disk_model.clean(testbed, declared)


@pytest.fixture
def opened(testbed, declared, cleaned):
    def enter(scheduler="none"):
        return disk_model.opened(testbed, declared, SIZE, {"scheduler": scheduler}, run)

    return enter


def queue(device, key):
    return disk.attribute(device.name, f"queue/{key}")


def loaded(device, *words):
    """Operations per second and bytes per second of fio."""
    told = call(
        "fio",
        "--name=load",
        f"--filename={device.node}",
        "--direct=1",
        "--ioengine=libaio",
        "--time_based",
        "--output-format=json",
        *words,
    )
    done = json.loads(told[told.index("{") :])["jobs"][0]
    way = "read" if done["read"]["io_bytes"] else "write"
    return done[way]["iops"], done[way]["bw_bytes"]


def test_the_kernel_sees_a_disk_that_rotates_and_nothing_is_left(opened, testbed, declared, memory):
    with opened("mq-deadline") as device:
        backing = kernel.loop_of(device.name).backing
        seen = {key: queue(device, key) for key in ("rotational", "read_ahead_kb", "nr_requests", "write_cache")}
        assert seen == {"rotational": "1", "read_ahead_kb": "128", "nr_requests": "64", "write_cache": "write back"}
        assert "[mq-deadline]" in queue(device, "scheduler") and queue(device, "nomerges") == "0"
        facts = device.facts()
        assert (facts["device.kind"], facts["backing.memory"]) == ("disk_model", True)
        with device.claimed() as node:
            call("mkfs.ext4", "-q", node)
    disk_model.clean(testbed, declared)
    assert list(memory.iterdir()) == [] and freed(device.name, backing)
    assert not mountpoint.own(mountpoint.MODELLED).exists()
    assert queue(device, "nr_requests") == "128" and "[none]" in queue(device, "scheduler")


def test_random_reads_are_slow_and_gain_from_a_queue(opened):
    with opened() as device:
        _, straight = loaded(device, "--rw=read", "--bs=1m", "--iodepth=4", "--runtime=2")
        alone, scattered = loaded(device, "--rw=randread", "--bs=4k", "--iodepth=1", "--runtime=3")
        together, _ = loaded(device, "--rw=randread", "--bs=4k", "--iodepth=32", "--runtime=3")
        report = device.facts()
    assert straight > 20 * scattered
    assert straight < 130e6, "no faster than tracks pass the head"
    assert 1.3 < together / alone < 4
    assert report["device.model.most_at_once"] == 32 and report["device.model.commands"] > 300


def test_a_scheduler_has_more_requests_to_sort_than_the_disk(opened):
    """The disk takes 32 commands at once under each scheduler, so the others wait where the scheduler can sort them."""
    with opened("mq-deadline") as device:
        loaded(device, "--rw=randread", "--bs=4k", "--iodepth=128", "--runtime=2")
        assert device.facts()["device.model.most_at_once"] == 32


def test_adjacent_writes_are_merged(opened):
    with opened("mq-deadline") as device:
        loaded(device, "--rw=write", "--bs=4k", "--iodepth=64", "--iodepth_batch=32", "--runtime=2")
        requests, merged = (int(each) for each in (disk.sysfs_of(device.name) / "stat").read_text().split()[4:6])
    assert merged > requests / 20


def test_content_stays_and_a_sync_waits_for_the_medium(opened):
    content = os.urandom(MIB)
    with opened() as device, device.node.open("r+b", buffering=0) as file:
        for place in range(0, SIZE, SIZE // 16):
            file.seek(place)
            file.write(content)
        begun = time.monotonic()
        os.fsync(file.fileno())
        assert time.monotonic() - begun > 16 * MIB / 150e6
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        for place in range(0, SIZE, SIZE // 16):
            file.seek(place)
            assert file.read(MIB) == content


def test_preparing_is_as_fast_as_memory(opened):
    with opened() as device:
        with device.at_full_speed():
            _, fast = loaded(device, "--rw=randwrite", "--bs=64k", "--iodepth=4", "--runtime=1", "--fsync=16")
        _, slow = loaded(device, "--rw=randwrite", "--bs=64k", "--iodepth=4", "--runtime=2", "--fsync=16")
    assert fast > 3 * slow


def test_a_killed_repetition_leaves_an_image_that_clean_removes(testbed, declared, memory, cleaned):
    program = (
        f"import sys, time\nfrom spindlemark import config\nfrom spindlemark.testbeds import disk_model\n"
        f"from spindlemark.core.process.command import execute\n"
        f"bed = config.DiskModelTestbed.model_validate_json(sys.argv[1])\n"
        f"how = {{'scheduler': 'bfq'}}\n"
        f"with disk_model.opened({testbed!r}, bed, {SIZE}, how, lambda a: execute(a, 60)) as device:\n"
        f"    with device.claimed() as node:\n        execute(['mkfs.ext4', '-q', node], 60)\n"
        f"    execute(['mount', str(device.node), str(device.mount_point)], 60)\n"
        f"    print(device.name, device.shown, flush=True)\n    time.sleep(600)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, declared.model_dump_json()], stdout=subprocess.PIPE, text=True
    )
    try:
        name, shown = child.stdout.readline().split()
        backing = kernel.loop_of(name).backing
        assert list(memory.rglob("*.img"))
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    disk_model.clean(testbed, declared)
    assert list(memory.iterdir()) == [] and freed(name, backing)
    assert not any(mount.point == Path(shown).parent for mount in kernel.mounts_everywhere())
    assert "[none]" in disk.attribute(name, "queue/scheduler")


def test_without_room_it_says_what_to_lower(opened, testbed, declared):
    with (
        pytest.raises(UserError, match="does not fit into .*\n.*image_size"),
        disk_model.opened(testbed, declared, 240 * MIB, {"scheduler": "none"}, run),
    ):
        pass
