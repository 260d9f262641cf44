"""A network with a disk on the server's side: held, read ahead as asked, and gone with the network."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from disks import MIB, call, freed
from network import opening
from spindlemark import config
from spindlemark.core.paths import ROOT
from spindlemark.testbeds import kernel, link, throttle, timed_requests

SIZE = 128 * MIB
IVDR = config.load().devices["iVDR"]


@pytest.fixture
def declared(private, tmp_path):
    call("mount", "-t", "tmpfs", "-o", "size=256m,mode=755", "tmpfs", tmp_path)
    bed = {"description": "", "scheduler": "none", "source_directory": str(tmp_path), "busy_bound": 0.1}
    made = config.LinkTestbed(**bed, kind="link", storage="below")
    made.set_disk(config.RamTestbed(**bed, kind="ram", memory=str(tmp_path)))
    yield made
    call("umount", tmp_path)


@pytest.fixture
def opened(declared):
    with opening(declared, SIZE) as enter:
        yield enter
    assert not list(Path(declared.source_directory).iterdir()), "nothing of the disk is left"


@pytest.mark.parametrize("filesystem", ["ext4", "btrfs"])
def test_it_is_a_disk_as_any_other_with_the_readahead_that_was_asked(opened, filesystem):
    one = opened(readahead="64")
    with one.claimed() as node:
        call(f"mkfs.{filesystem}", "-q", node)
        call("mount", "-t", filesystem, node, one.mount_point)
    one.after_mount()
    assert "rw" in one.mount_options().split(",") and one.size == SIZE
    file = one.mount_point / "file"
    before = one.transferred()
    with file.open("wb") as opened_file:
        opened_file.write(os.urandom(32 * MIB))
        os.fsync(opened_file.fileno())
    assert one.transferred().since(before).written_bytes >= 32 * MIB
    Path("/proc/sys/vm/drop_caches").write_text("3")
    before = one.transferred()
    with file.open("rb", buffering=0) as opened_file:
        for at in range(0, 32 * MIB, MIB):
            os.pread(opened_file.fileno(), 4096, at)
    # 32 places of 4 KiB: at most 64 KiB at each, with what describes the file. The kernel's own choice would read all.
    assert one.transferred().since(before).read_bytes < 32 * 64 * 1024 + 4 * MIB
    call("umount", one.mount_point)
    assert one.facts()["link.storage"] == "below" and one.facts()["device.kind"] == "ram"


def test_its_storage_is_held_to_a_device_model(opened):
    if not (throttle._mounted("cgroup", "blkio") or throttle._mounted("cgroup2", None)):
        pytest.skip("no control group for block devices is mounted")
    one = opened(limits=IVDR.limits())

    def speed() -> float:
        return 8 * MIB / timed_requests.seconds(str(one.node), False, MIB, 8, 60, scattered=False)

    assert speed() < 1.3 * IVDR.read  # a busy machine may be slower
    with one.at_full_speed():
        assert speed() > 1.5 * IVDR.read, "what is prepared on it need not wait"
    assert speed() < 1.3 * IVDR.read


CHILD = """
import sys, time
sys.path[:0] = [{tests!r}]
from network import run
from spindlemark import config
from spindlemark.testbeds import link
bed = config.LinkTestbed.model_validate_json(sys.argv[1])
bed.set_disk(config.RamTestbed.model_validate_json(sys.argv[2]))
with link.opened("test", bed, {size}, {{"scheduler": "none"}}, run) as one:
    print(one.disk.name, flush=True)
    time.sleep(600)
"""


def test_a_kill_leaves_neither_network_nor_disk_after_the_next_start(declared):
    words = [
        sys.executable,
        "-c",
        CHILD.format(tests=str(ROOT / "tests/helpers"), size=SIZE),
        declared.model_dump_json(),
        declared.disk.model_dump_json(),
    ]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    name = child.stdout.readline().strip()
    assert kernel.loop_of(name) is not None
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    link.clean("test", declared)
    give_up = time.monotonic() + 10
    place = Path(declared.source_directory)
    while not freed(name, place) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert freed(name, place) and not list(place.iterdir())
