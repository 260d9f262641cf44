"""Disks that somebody uses: mounted, swapped to, or below the system."""

import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from disks import MIB, call, refused, running, wait_for


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


def wait_for_line(path):
    give_up = time.monotonic() + 20
    while not path.exists() or not path.read_text():
        assert time.monotonic() < give_up
        time.sleep(0.02)
