"""Devices that must be refused without one byte written, and the one that may be formatted."""

import hashlib
import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from disks import call, freed
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.testbeds import guard, image, kernel, loop, mark

SIZE = 24 << 20


@pytest.fixture
def ours(tmp_path, testbed, attached):
    """A device that may be formatted."""
    return attached(image.make(tmp_path, testbed, SIZE))


def refused(path, testbed, reason, whole=None):
    """Try to format `path`: the guard must speak against it for `reason`, and the device must keep every byte."""
    before = checksum(whole or path)
    with pytest.raises(UserError, match=reason), guard.claim(path, testbed) as node:
        call("mkfs.ext4", "-q", "-F", node)
    assert checksum(whole or path) == before


def checksum(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_our_own_device_is_formatted(ours, testbed):
    before = checksum(ours)
    with guard.claim(ours, testbed) as node:
        call("mkfs.ext4", "-q", "-F", node)
    assert checksum(ours) != before
    assert call("blkid", "-p", "-o", "value", "-s", "TYPE", ours) == "ext4"


def test_a_foreign_file(tmp_path, testbed, attached):
    file = tmp_path / "films.raw"
    file.write_bytes(os.urandom(SIZE))
    refused(attached(file), testbed, "is not one that this program uses")


def test_our_name_without_our_mark(tmp_path, testbed, attached):
    file = image.path_of(tmp_path, testbed)
    file.write_bytes(os.urandom(SIZE))
    refused(attached(file), testbed, "does not have this program's mark")


def test_a_copy_of_our_image_with_its_mark(tmp_path, testbed, attached):
    (tmp_path / "copy").mkdir()
    copy = image.path_of(tmp_path / "copy", testbed)
    call("cp", "--archive", image.make(tmp_path, testbed, SIZE), copy)
    assert os.getxattr(copy, mark.NAME)
    refused(attached(copy), testbed, "mark of another file")


def test_the_image_of_another_testbed(ours):
    refused(ours, "another", "belongs to testbed")


def test_our_file_replaced_behind_the_device(ours, tmp_path, testbed):
    image.path_of(tmp_path, testbed).rename(tmp_path / "moved")
    image.make(tmp_path, testbed, SIZE)
    refused(ours, testbed, "is not one that this program uses|not the file that the device has open")


def test_our_file_deleted_behind_the_device(ours, tmp_path, testbed):
    image.path_of(tmp_path, testbed).unlink()
    refused(ours, testbed, "backing file is gone")


def test_attached_twice(ours, tmp_path, testbed, attached):
    second = attached(image.path_of(tmp_path, testbed))
    refused(ours, testbed, f"attached to {second.name} too")
    refused(second, testbed, f"attached to {ours.name} too")


@pytest.mark.parametrize("options", [["--offset", "1048576"], ["--sizelimit", "8388608"]])
def test_a_part_of_our_file(tmp_path, testbed, attached, options):
    refused(attached(image.make(tmp_path, testbed, SIZE), *options), testbed, "only a part")


def test_mounted(ours, tmp_path, testbed):
    call("mkfs.ext4", "-q", ours)
    point = tmp_path / "point"
    point.mkdir()
    call("mount", "-o", "ro", ours, point)
    try:
        refused(ours, testbed, f"mounted on {point}")
    finally:
        call("umount", point)


def test_mounted_in_another_namespace(ours, tmp_path, testbed):
    call("mkfs.ext4", "-q", ours)
    point = tmp_path / "point"
    point.mkdir()
    with running(
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        'mount -o ro "$1" "$2" && touch "$3" && exec sleep 600',
        "sh",
        ours,
        point,
        tmp_path / "ready",
    ):
        wait_for(tmp_path / "ready")
        assert str(point) not in Path("/proc/self/mountinfo").read_text()
        refused(ours, testbed, f"mounted on {point}")
        with pytest.raises(UserError, match="exclusive claim"), guard.claim(ours, testbed, [guard.opens_exclusively]):
            pass


def test_swap(ours, testbed):
    call("mkswap", ours)
    if subprocess.run(["swapon", ours], capture_output=True, check=False).returncode != 0:
        pytest.skip("this kernel does not let a loop device be swap")
    try:
        refused(ours, testbed, "it is swap")
    finally:
        call("swapoff", ours)


def test_claimed_by_another_program(ours, testbed):
    claim = os.open(ours, os.O_RDONLY | os.O_EXCL)
    try:
        refused(ours, testbed, "exclusive claim")
    finally:
        os.close(claim)


def test_below_device_mapper(ours, testbed):
    name = f"spindlemark-{testbed}"
    made = (
        subprocess.run(
            ["dmsetup", "create", name, "--table", f"0 {SIZE // 512} linear {ours} 0"], capture_output=True, check=False
        )
        if shutil.which("dmsetup")
        else None
    )
    if made is None or made.returncode != 0:
        pytest.skip("this kernel has no device mapper")
    try:
        refused(ours, testbed, "it is used by |exclusive claim")
    finally:
        call("dmsetup", "remove", name)


def test_a_partition_and_the_disk_around_it(tmp_path, testbed, attached):
    file = image.make(tmp_path, testbed, SIZE)
    disk = attached(file, "--partscan")
    part = Path(f"{disk}p1")
    subprocess.run(["addpart", disk, "1", "2048", "20480"], check=False, stderr=subprocess.DEVNULL)
    if not part.exists():
        pytest.skip("no partition node appears here")
    refused(part, testbed, "it is a partition", whole=disk)
    refused(disk, testbed, "it has partitions")


def test_a_plain_file(tmp_path, testbed):
    refused(image.make(tmp_path, testbed, SIZE), testbed, "not a block device")


def test_a_symbolic_link_to_our_own_device(ours, tmp_path, testbed):
    link = tmp_path / "link"
    link.symlink_to(ours)
    refused(link, testbed, "symbolic link", whole=ours)


def test_another_node_of_our_own_device(ours, tmp_path, testbed):
    node = tmp_path / ours.name
    os.mknod(node, 0o600 | 0o060000, ours.stat().st_rdev)
    refused(node, testbed, "kernel's own node", whole=ours)


def test_a_node_swapped_between_check_and_use(ours, tmp_path, testbed, attached):
    """The last check swaps the node for a victim's: what was checked is not what would be opened."""
    (tmp_path / "other").mkdir()
    victim = attached(image.make(tmp_path / "other", testbed, SIZE))
    node = tmp_path / "node"
    os.mknod(node, 0o600 | 0o060000, ours.stat().st_rdev)

    def swap(device):
        node.unlink()
        os.mknod(node, 0o600 | 0o060000, victim.stat().st_rdev)

    before = checksum(victim)
    with pytest.raises(UserError, match="changed while it was checked"), guard.claim(node, testbed, [swap]) as device:
        call("mkfs.ext4", "-q", "-F", device)
    assert checksum(victim) == before


def test_a_claimed_device_keeps_its_file(ours, tmp_path, testbed):
    """Detaching it while it is claimed takes effect only afterwards, so nobody can put another file behind it."""
    with guard.claim(ours, testbed):
        call("losetup", "--detach", ours)
        assert kernel.loop_of(ours.name).backing == image.path_of(tmp_path, testbed)


def test_the_root_disk_is_refused_unopened(testbed, monkeypatch):
    _, disk = kernel.disk_below(Path("/"))
    if disk is None:
        pytest.skip("no block device is below / here")
    opened = []
    monkeypatch.setattr(guard.os, "open", lambda path, *rest, **named: opened.append(str(path)) or os.EX_OSERR)
    with pytest.raises(UserError, match="not a loop device|partition"), guard.claim(Path("/dev") / disk, testbed):
        pass
    assert opened == []


def test_no_such_device(testbed):
    with pytest.raises(UserError, match="No such file"), guard.claim(Path("/dev/nonesuch"), testbed):
        pass


def test_cleaning_leaves_foreign_devices_alone(tmp_path, testbed, attached, ours):
    foreign = tmp_path / "spindlemark-theirs.img"
    foreign.write_bytes(os.urandom(SIZE))
    theirs = attached(foreign)
    before = checksum(theirs)
    declared = config.LoopTestbed(
        description="",
        kind="loop",
        directory=str(tmp_path),
        direct_io=True,
        scheduler="none",
        source_directory="/dev/shm",
        busy_bound=0.1,
    )
    loop.clean(testbed, declared)
    assert freed(ours.name, tmp_path) and not image.path_of(tmp_path, testbed).exists()
    assert kernel.loop_of(theirs.name).backing == foreign and checksum(theirs) == before


@contextmanager
def running(*argv):
    process = subprocess.Popen([str(word) for word in argv])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(path):
    give_up = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < give_up
        time.sleep(0.02)
