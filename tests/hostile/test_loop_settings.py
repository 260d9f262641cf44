"""A slowed loop device, and settings of the kernel that are put back."""

import os
import stat
import time
from pathlib import Path

import pytest

from disks import MIB, call
from spindlemark import config
from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Failed
from spindlemark.core.process.command import execute
from spindlemark.testbeds import disk, kernel_settings, loop, throttle

LIMIT = 8 * MIB


def run(argv):
    """As a session does it."""
    done = execute(argv, 60)
    if done.exit_code:
        raise Failed(done.stderr.strip())
    return done


@pytest.fixture
def declared(private, tmp_path):
    return config.LoopTestbed(
        description="",
        kind="loop",
        directory=str(tmp_path / "bed"),
        direct_io=True,
        scheduler="none",
        source_directory="/dev/shm",
        busy_bound=0.1,
    )


@pytest.fixture
def slow(declared):
    return declared.model_copy(update={"throttle": config.Throttle(read=LIMIT, write=LIMIT // 2)})


@pytest.fixture
def opened(testbed, declared):
    """Open the testbed with a declaration and a scheduler; it is cleaned in the end, and that a second time."""
    contexts = []

    def enter(testbed_declared, scheduler="none"):
        contexts.append(loop.opened(testbed, testbed_declared, 64 * MIB, {"scheduler": scheduler}, run))
        return contexts[-1].__enter__()

    yield enter
    for _ in range(2):
        loop.clean(testbed, declared)


def limits(device):
    """What the kernel's version 1 control group holds of a device."""
    number = disk.attribute(device.name, "dev")
    group = throttle._mounted("cgroup", "blkio")
    found = {key: (group / f"blkio.throttle.{key}_bps_device").read_text() for key in ("read", "write")}
    return {
        key: int(line.split()[1])
        for key, text in found.items()
        for line in text.splitlines()
        if line.startswith(f"{number} ")
    }


def test_a_slowed_device(opened, slow, declared, testbed):
    try:
        device = opened(slow)
    except UserError as error:
        pytest.skip(str(error))
    for action, limit in (("if=/dev/zero", LIMIT // 2), ("of=/dev/null", LIMIT)):
        begun = time.monotonic()
        other = f"of={device.node}" if action.startswith("if") else f"if={device.node}"
        flag = "oflag=direct" if action.startswith("if") else "iflag=direct"
        call("dd", action, other, "bs=512K", f"count={limit // MIB}", flag)
        assert limit / 2 / (time.monotonic() - begun) < 1.3 * limit  # a busy machine may be slower
    assert device.facts()["device.throttle.read_bytes_per_second"] == LIMIT
    if throttle._mounted("cgroup", "blkio"):
        assert limits(device) == {"read": LIMIT, "write": LIMIT // 2}
        loop.clean(testbed, declared)
        assert limits(device) == {}


def test_only_a_slowed_device_says_so_in_its_identity(declared, slow):
    plain = loop.device_facts(declared, MIB)
    assert loop.device_facts(slow, MIB) == plain | {"throttle": {"read": LIMIT, "write": LIMIT // 2}}


def test_without_control_groups_it_is_refused(opened, slow, monkeypatch):
    monkeypatch.setattr(throttle, "_mounted", lambda filesystem, controller: None)
    with pytest.raises(UserError, match="throttle: .*no control group for block devices is mounted"):
        opened(slow)


def test_limits_that_do_nothing_are_refused(opened, slow, monkeypatch):
    """As for what the kernel writes back itself: only the trial tells."""
    monkeypatch.setattr(throttle, "_version_1", lambda *_: True)
    monkeypatch.setattr(throttle, "_TRIAL_SECONDS", 4)  # far longer than any disk takes
    with pytest.raises(UserError, match="a trial of read took .* s instead of the expected 4.00 s"):
        opened(slow)


def test_the_scheduler_is_put_back(opened, declared, testbed):
    device = opened(declared)
    file = Path(f"/sys/block/{device.name}/queue/scheduler")
    before = file.read_text()
    other = next(word for word in before.split() if not word.startswith("["))
    kernel_settings.set_scheduler(testbed, device.name, other)
    assert f"[{other}]" in file.read_text() and device.facts()["device.queue.scheduler"] == file.read_text().strip()
    loop.clean(testbed, declared)
    assert file.read_text() == before and private_files.read_note(kernel_settings._note(testbed)) == {}


def test_a_scheduler_that_the_kernel_has_not(opened, declared):
    with pytest.raises(UserError, match="does not offer sluggish"):
        opened(declared, "sluggish")


def test_where_no_loop_device_can_be_had(opened, declared, private):
    """As in a container without them."""
    call("mount", "-t", "tmpfs", "tmpfs", "/dev")
    try:
        os.mknod("/dev/null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        with pytest.raises(UserError, match="cannot be attached to a loop device"):
            opened(declared)
    finally:
        call("umount", "/dev")


def test_a_limit_that_a_killed_program_left_on_the_number_is_lifted(opened, declared):
    """It would slow whatever is attached next, and nothing would say so."""
    group = throttle._mounted("cgroup", "blkio")
    if group is None:
        pytest.skip("version 2 keeps limits in the groups of processes")
    device = opened(declared)
    number = disk.attribute(device.name, "dev")
    file = group / "blkio.throttle.read_iops_device"
    file.write_text(f"{number} 400")
    assert f"{number} 400" in file.read_text().splitlines()
    throttle.clear(device.node)
    assert not any(line.startswith(f"{number} ") for line in file.read_text().splitlines())
