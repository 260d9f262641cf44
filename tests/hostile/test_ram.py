"""The testbed in memory, and reference devices: what the kernel holds, what a machine cannot hold, what a kill leaves."""

import os
import signal
import subprocess
import sys

import pytest
import yaml

from disks import MIB, call, freed
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.paths import CONFIG
from spindlemark.core.process.command import execute
from spindlemark.families.full_size_metadata.family import KEEP_HOLES
from spindlemark.families.shared import media
from spindlemark.testbeds import disk, kernel, kernel_settings, ram, throttle, timed_requests

SIZE = 32 * MIB
SLOW = config.Throttle(read=64 * MIB, write=32 * MIB, read_requests=400, write_requests=800)
LIBRARY = {
    "name": "small",
    "files": 4,
    "directories": 1,
    "smallest": 4 * MIB,
    "largest": 4 * MIB,
    "total": 16 * MIB,
    "shape": "lognormal",
    "content": "zero",
    "seed": 1,
}


def run(argv):
    return execute(argv, 60)


@pytest.fixture
def memory(private, tmp_path):
    """A small memory of our own."""
    call("mount", "-t", "tmpfs", "-o", "size=64m,mode=755", "tmpfs", tmp_path)
    yield tmp_path
    call("umount", tmp_path)


@pytest.fixture
def declared(memory):
    return config.RamTestbed(
        description="", kind="ram", memory=str(memory), scheduler="none", source_directory=str(memory), busy_bound=0.1
    )


@pytest.fixture
def opened(testbed, declared):
    """Open the testbed, with a throttle; it is cleaned in the end, and that a second time."""
    contexts = []

    def enter(limits=None, size=SIZE, sparse_memory=None, **factors):
        changed = declared.model_copy(update={"throttle": limits, "sparse_memory": sparse_memory})
        beds.append(changed)
        contexts.append(ram.opened(testbed, changed, size, {"scheduler": "none"} | factors, run))
        return contexts[-1].__enter__()

    beds = []
    yield enter
    for bed in beds * 2:
        ram.clean(testbed, bed)


def test_it_says_that_it_lies_in_memory_and_leaves_nothing(opened, testbed, declared, memory):
    device = opened()
    assert device.image.is_relative_to(memory) and device.image.stat().st_blocks * 512 == SIZE, "every page is there"
    facts = device.facts()
    assert (facts["device.kind"], facts["backing.memory"], facts["backing.filesystem"]) == ("ram", True, "tmpfs")
    assert "backing" not in device.counters(), "there is no disk below"
    call("mkfs.ext4", "-q", device.node)
    ram.clean(testbed, declared)
    assert list(memory.iterdir()) == [] and freed(device.name, memory)


def test_no_fingerprint_of_memory_is_one_of_a_disk(declared):
    plain = ram.device_facts(declared, MIB)
    assert plain == {"kind": "ram", "bytes": MIB, "backing": {"memory": True}}
    assert ram.device_facts(declared.model_copy(update={"sparse_memory": MIB}), MIB) == plain | {"sparse": True}
    held = ram.device_facts(declared.model_copy(update={"throttle": SLOW}), MIB)
    assert held == plain | {"throttle": SLOW.limits()} and len(SLOW.limits()) == 4


@pytest.mark.parametrize("sparse_memory", [None, 16 * MIB])
def test_a_killed_repetition_leaves_nothing_in_memory(testbed, declared, memory, sparse_memory):
    declared = declared.model_copy(update={"sparse_memory": sparse_memory})
    program = (
        f"import sys, time\nfrom spindlemark import config\nfrom spindlemark.testbeds import ram\n"
        f"from spindlemark.core.process.command import execute\n"
        f"bed = config.RamTestbed.model_validate_json(sys.argv[1])\n"
        f"with ram.opened({testbed!r}, bed, {SIZE}, {{'scheduler': 'none'}}, lambda a: execute(a, 60)) as device:\n"
        f"    print(device.name, flush=True)\n    time.sleep(600)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, declared.model_dump_json()], stdout=subprocess.PIPE, text=True
    )
    try:
        name = child.stdout.readline().strip()
        assert kernel.loop_of(name) is not None and bool(list(memory.rglob("*.img"))) == (sparse_memory is None)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    assert list(memory.iterdir()) and kernel.loop_of(name) is not None, "the kill left it"
    ram.clean(testbed, declared)
    assert list(memory.iterdir()) == [] and kernel.loop_of(name) is None


def test_a_sparse_image_takes_the_memory_of_what_is_written_and_leaves_nothing(opened, testbed, declared, memory):
    device = opened(size=16 << 30, sparse_memory=24 * MIB)
    assert device.size == 16 << 30 and device.facts()["backing.used_bytes"] == 0
    device.require_room()
    call("mkfs.ext4", "-q", "-F", "-E", "nodiscard", "-O", "^has_journal", device.node)
    assert 0 < device.facts()["backing.used_bytes"] < 24 * MIB
    ram.clean(testbed, declared.model_copy(update={"sparse_memory": 24 * MIB}))
    assert list(memory.iterdir()) == [] and freed(device.name, memory)


def test_after_the_format_the_kernel_still_makes_holes_of_zeros(opened):
    """Else the thread that zeroes ext4's inode tables after a mount would fill the memory."""
    device = opened(size=16 << 30, sparse_memory=40 * MIB)
    call(*KEEP_HOLES, "mkfs.ext4", "-q", "-F", "-E", "nodiscard", "-J", "size=4", device.node)
    assert int(disk.attribute(device.name, "queue/write_zeroes_max_bytes")) > 0


def test_a_sparse_image_never_takes_more_than_it_has(opened, testbed, memory):
    device = opened(size=16 << 30, sparse_memory=4 * MIB)
    written = subprocess.run(
        ["dd", "if=/dev/urandom", f"of={device.node}", "bs=1M", "count=16", "conv=fsync"],
        capture_output=True,
        text=True,
    )
    assert written.returncode and "error" in written.stderr
    with pytest.raises(
        UserError, match=f"config/testbeds/{testbed}.yaml: sparse_memory: .* {4 * MIB} bytes.*\n.*raise"
    ):
        device.require_room()


def test_a_sparse_image_that_memory_has_no_room_for_is_refused(opened, testbed, memory):
    with pytest.raises(
        UserError, match=f"sparse image of {56 * MIB} bytes does not fit .*\n.*sparse_memory in config/"
    ):
        opened(size=16 << 30, sparse_memory=56 * MIB)
    assert not list(memory.rglob("*.img"))


def test_a_quarter_of_the_memory_stays_free(opened, memory):
    with pytest.raises(
        UserError,
        match=f"{56 * MIB} bytes does not fit .* must stay free\n.*lower image_size .*or measure on a testbed on disk",
    ):
        opened(size=56 * MIB)
    assert not list(memory.rglob("*.img"))


def test_image_and_library_together_leave_it_free(opened, memory):
    opened(size=40 * MIB)  # alone it fits: 64 - 40 is more than a quarter


def test_an_image_that_fits_only_without_its_library_is_refused(opened, memory):
    media.cached(LIBRARY, memory)
    with pytest.raises(UserError, match="does not fit into "):
        opened(size=40 * MIB)
    assert not list(memory.rglob("*.img"))
    media.clear(memory)


def test_a_folder_on_disk_is_no_memory(testbed, declared, private, tmp_path_factory):
    on_disk = declared.model_copy(update={"memory": "/proc"})
    with pytest.raises(
        UserError, match=f"config/testbeds/{testbed}.yaml: memory: /proc is not a folder in memory\n.*tmpfs"
    ):
        ram.opened(testbed, on_disk, SIZE, {"scheduler": "none"}, run).__enter__()


def limits(device):
    """What the kernel's version 1 control group holds of a device."""
    number, group = disk.attribute(device.name, "dev"), throttle._mounted("cgroup", "blkio")
    return {
        key: int(line.split()[1])
        for key, file in throttle._VERSION_1.items()
        for line in (group / f"blkio.throttle.{file}_device").read_text().splitlines()
        if line.startswith(f"{number} ")
    }


@pytest.fixture
def slow(opened):
    if not throttle._mounted("cgroup", "blkio"):
        pytest.skip("no control group of version 1 for block devices is mounted")
    return opened(SLOW)


def test_bytes_and_requests_are_held_and_let_go(slow, testbed, declared):
    assert limits(slow) == SLOW.limits()
    for write, figure in ((False, SLOW.read_requests), (True, SLOW.write_requests)):
        took = timed_requests.seconds(str(slow.node), write, 4096, figure, 60, scattered=True)
        assert figure / took < 1.3 * figure  # a busy machine may be slower
    assert slow.facts()["device.throttle.read_requests_per_second"] == 400
    assert slow.facts()["device.throttle.write_bytes_per_second"] == 32 * MIB
    ram.clean(testbed, declared)
    assert limits(slow) == {}


def test_neighbours_count_one_by_one_though_the_kernel_merges_them(slow):
    took = timed_requests.seconds(str(slow.node), False, 4096, SLOW.read_requests, 60, scattered=False)
    assert SLOW.read_requests / took < 1.3 * SLOW.read_requests


@pytest.mark.parametrize(
    ("key", "figure"), [("read", 1 << 50), ("write", 1 << 50), ("read_requests", 1 << 31), ("write_requests", 1 << 31)]
)
def test_a_figure_that_the_machine_does_not_give_is_refused(slow, opened, testbed, declared, key, figure):
    ram.clean(testbed, declared)
    with pytest.raises(UserError, match=f"{testbed}.yaml: throttle: {key}: this machine is slower than declared"):
        opened(SLOW.model_copy(update={key: figure}))


def test_version_2_gets_all_figures_in_one_file(private, testbed, tmp_path, monkeypatch):
    """There is one version on a machine: the words that the other one takes."""
    monkeypatch.setattr(throttle, "_mounted", lambda *_: tmp_path)
    (tmp_path / "cgroup.controllers").write_text("cpu io memory")
    assert throttle._version_2(testbed, "7:9", SLOW.limits())
    told = tmp_path / f"spindlemark-{testbed}" / "io.max"
    assert told.read_text() == f"7:9 rbps={64 * MIB} wbps={32 * MIB} riops=400 wiops=800"
    kernel_settings.restore(testbed)
    assert told.read_text() == "7:9 rbps=max wbps=max riops=max wiops=max"


def test_each_reference_device_tells_a_source_for_each_figure():
    beds = {name: bed for name, bed in config.load().testbeds.items() if bed.kind == "ram" and bed.throttle}
    assert sorted(beds) == ["nvme", "sata-ssd"]
    for name, bed in beds.items():
        printed = bed.throttle.reference.prints.model_dump()
        assert printed.keys() == bed.throttle.limits().keys(), name
        for key, value in bed.throttle.limits().items():
            figure = value if key.endswith("_requests") else value // 1_000_000
            words = {f"{figure:,}", str(figure), f"{figure // 1000}K"}
            assert any(word in printed[key] for word in words), f"{name}: {key}: {figure} is not in {printed[key]!r}"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"read_requests": None}, "a reference device needs read_requests and write_requests too"),
        ({"reference": {"prints": {"read": "1"}}}, "throttle.reference.product: is missing"),
        ({"read_requests": 0}, "throttle.read_requests"),
        ({"requests": 5}, "unknown key"),
    ],
)
def test_a_bad_reference_names_its_key(tmp_path, change, named):
    folder = tmp_path / "config"
    call("cp", "-r", CONFIG, folder)
    file = folder / "testbeds" / "nvme.yaml"
    content = yaml.safe_load(file.read_text())
    content["throttle"] |= change
    file.write_text(yaml.safe_dump(content))
    with pytest.raises(UserError, match="nvme.yaml.*") as raised:
        config.load(folder)
    assert named in str(raised.value)
