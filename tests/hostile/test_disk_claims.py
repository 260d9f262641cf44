"""Disks that other devices or programs have: mapped, shown by a loop device, opened, locked, or with another partition."""

import fcntl
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from disks import call, refused, running
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.testbeds import block, layout


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
