"""Disks that somebody uses: mounted, swapped to, shown, opened, or below the system."""

import fcntl
import os
import shutil
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from disks import MIB, call, refused, running, wait_for
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.testbeds import block, layout


@pytest.fixture
def point(tmp_path):
    folder = tmp_path / "point"
    folder.mkdir()
    return folder


def test_mounted(disk, point):
    call("mkfs.ext4", "-q", "-F", disk.node)
    call("mount", "-o", "ro", disk.node, point)
    try:
        refused(disk, f"it is mounted on {point}")
    finally:
        call("umount", point)


def test_mounted_by_a_second_name(disk, point):
    """Through another node of the same number the kernel names another source."""
    call("mkfs.ext4", "-q", "-F", disk.node)
    other = point.parent / "node"
    os.mknod(other, 0o600 | 0o060000, disk.node.stat().st_rdev)
    call("mount", "-o", "ro", other, point)
    try:
        refused(disk, f"it is mounted on {point}")
    finally:
        call("umount", point)


def test_a_mounted_partition(disk, point):
    call("addpart", disk.node, "1", "2048", "20480")
    call("mkfs.ext4", "-q", "-F", f"{disk.node}p1")
    call("mount", "-o", "ro", f"{disk.node}p1", point)
    try:
        refused(disk, f"it is mounted on {point}")
    finally:
        call("umount", point)
        call("delpart", disk.node, "1")


def test_mounted_in_another_namespace(disk, point, tmp_path):
    call("mkfs.ext4", "-q", "-F", disk.node)
    with running(
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        'mount -o ro "$1" "$2" && touch "$3" && exec sleep 600',
        "sh",
        disk.node,
        point,
        tmp_path / "ready",
    ):
        wait_for(tmp_path / "ready")
        assert str(point) not in Path("/proc/self/mountinfo").read_text()
        refused(disk, f"it is mounted on {point}")


@pytest.mark.parametrize(("folder", "kind"), [("/boot", "boot"), ("/home", "home"), ("/usr", "system")])
def test_a_disk_of_the_system(disk, tmp_path, folder, kind):
    """In a namespace of its own the disk really is what holds /boot, /home or /usr."""
    if not Path(folder).is_dir():
        pytest.skip(f"there is no {folder} here")
    call("mkfs.ext4", "-q", "-F", disk.node)
    script = 'exec 3> "$3"; mount -o ro "$1" "$2" && echo >&3 && read -r x'
    with running(
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        script,
        "sh",
        disk.node,
        folder,
        tmp_path / "ready",
        stdin=subprocess.PIPE,
    ):
        wait_for_line(tmp_path / "ready")
        refused(disk, f"the {kind} filesystem {folder} is on it")


PIVOT = 'exec 3> "$3"; mount -o ro "$1" "$2" && cd "$2" && pivot_root . old && echo >&3 && read -r x'


@pytest.fixture
def root(tmp_path):
    """Make a disk that a process can have as its root, read-only so that nobody but the guard could write on it."""
    content = tmp_path / "root"
    (content / "old").mkdir(parents=True)

    @contextmanager
    def made(disk):
        point = tmp_path / "new-root"
        point.mkdir()
        with running(
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            PIVOT,
            "sh",
            disk,
            point,
            tmp_path / "ready",
            stdin=subprocess.PIPE,
        ):
            wait_for_line(tmp_path / "ready")
            yield

    made.content = content
    return made


def test_the_root_disk(disk, root):
    """A process whose root is the disk, by pivot_root, as that of a running system."""
    call("mkfs.ext4", "-q", "-F", "-d", root.content, disk.node)
    with root(disk.node):
        refused(disk, "the root filesystem / is on it")


def test_the_disk_below_the_root_disk(disks, root, attached, tmp_path):
    """The root lies on a file that lies on the disk."""
    disk, content, below = disks(32 * MIB), tmp_path / "content", tmp_path / "below"
    content.mkdir()
    below.mkdir()
    with (content / "root.img").open("wb") as file:
        file.truncate(8 * MIB)
    call("mkfs.ext4", "-q", "-F", "-d", root.content, content / "root.img")
    call("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-d", content, disk.node)
    call("mount", "-o", "ro", disk.node, below)
    try:
        upper = attached(below / "root.img", "--read-only")
        with root(upper):
            refused(disk, "the root filesystem / is on it")
        call("losetup", "--detach", upper)
    finally:
        call("umount", "--lazy", below)


def test_the_second_disk_of_a_mounted_btrfs(disks, point):
    """The kernel names only one of its disks as what is mounted."""
    one, two = disks(120 * MIB), disks(120 * MIB)
    call("mkfs.btrfs", "-q", "-f", "-d", "single", "-m", "raid1", one.node, two.node)
    call("mount", "-o", f"ro,device={two.node}", one.node, point)
    try:
        for disk in (one, two):
            refused(disk, f"it is mounted on {point}")
    finally:
        call("umount", point)


def test_swap(disk):
    call("mkswap", disk.node)
    if subprocess.run(["swapon", disk.node], capture_output=True, check=False).returncode != 0:
        pytest.skip("this kernel does not let a loop device be swap")
    try:
        refused(disk, "it is swap")
    finally:
        call("swapoff", disk.node)


def test_a_swap_file_on_the_disk(disk, point):
    call("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", disk.node)
    call("mount", disk.node, point)
    try:
        file = point / "swap"
        file.write_bytes(bytes(4 * MIB))
        file.chmod(0o600)
        call("mkswap", file)
        if subprocess.run(["swapon", file], capture_output=True, check=False).returncode != 0:
            pytest.skip("this kernel swaps to no file on a loop device")
        try:
            call("umount", "--lazy", point)
            call("mount", disk.node, point)
            refused(disk, "mounted|swap")
        finally:
            call("swapoff", file)
    finally:
        call("umount", point)


def test_below_device_mapper(disk):
    name = f"spindlemark-{disk.serial}"
    made = (
        subprocess.run(
            ["dmsetup", "create", name, "--table", f"0 {disk.size // 512} linear {disk.node} 0"],
            capture_output=True,
            check=False,
        )
        if shutil.which("dmsetup")
        else None
    )
    if made is None or made.returncode != 0:
        pytest.skip("this kernel has no device mapper")
    try:
        refused(disk, "it is used by ")
    finally:
        call("dmsetup", "remove", name)


@pytest.mark.parametrize("options", [[], ["--offset", "1048576"], ["--read-only"]])
def test_shown_by_a_loop_device(disk, attached, options):
    disk.consent()
    other = attached(disk.node, *options)
    refused(disk, f"the loop device {other.name} is attached to it")


def test_a_loop_device_on_another(disks, tmp_path):
    below = disks()
    (tmp_path / "disk1.img").symlink_to(below.node)  # what the next disk is made of
    upper = disks()
    refused(upper, "a loop device on another device", below)


def test_its_backing_file_is_gone(disk):
    disk.file.unlink()
    refused(disk, "its backing file is gone")


def test_its_backing_file_is_attached_twice(disk, attached):
    second = attached(disk.file)
    refused(disk, f"attached to {second.name} too")


@pytest.mark.parametrize("options", [("--offset", "1048576"), ("--sizelimit", "8388608")])
def test_a_part_of_a_file(disks, options):
    disk = disks(options=options)
    disk.declare(size=int(Path(f"/sys/class/block/{disk.node.name}/size").read_text()) * 512)
    refused(disk, "only a part of its file")


def test_opened_exclusively_by_another_process(disk):
    disk.consent()
    hold = textwrap.dedent("""
        import os, sys
        os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
        print("held", flush=True)
        sys.stdin.read()""")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with running(sys.executable, "-c", hold, disk.node, **pipes) as process:
        assert process.stdout.readline() == "held\n"
        refused(disk, "does not grant an exclusive claim")


def test_locked_by_another_program(disk):
    """The lock by which udev, mkfs and installers keep each other away from a disk."""
    declared = config.BlockTestbed(
        description="",
        kind="block",
        device=str(disk.link),
        serial=disk.serial,
        model=disk.model,
        size=disk.size,
        erase=disk.serial,
        scheduler="none",
        source_directory="/dev/shm",
        busy_bound=0.1,
    )
    before = disk.checksum()
    descriptor = os.open(disk.node, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(UserError, match="another program has locked it"):
            block.consent("disk", declared)
    finally:
        os.close(descriptor)
    assert disk.checksum() == before


@pytest.mark.parametrize("other", [("1", "4096", "20480"), ("1", "2048", "10240"), ("2", "2048", "20480")])
def test_our_partition_exchanged_for_another(disk, tmp_path, other):
    """Between two commands somebody makes another partition where ours was."""
    disk.consent()
    ours = layout.add(disk.node.name, 20480 * 512)
    part = block.BlockDevice(ours.name, "disk", ours, tmp_path, 20480 * 512, disk.node.name, disk.expected)
    with part.claimed() as node:
        assert node == str(ours)
    call("delpart", disk.node, "1")
    call("addpart", disk.node, *other)
    before = disk.checksum()
    refusals = "not made by this program|not our partition"
    with pytest.raises(UserError, match=refusals), part.claimed() as node:
        call("mkfs.ext4", "-q", "-F", node)
    assert disk.checksum() == before
    call("delpart", disk.node, other[0])


def wait_for_line(path):
    give_up = time.monotonic() + 20
    while not path.exists() or not path.read_text():
        assert time.monotonic() < give_up
        time.sleep(0.02)
