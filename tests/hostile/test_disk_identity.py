"""Disks that are not the declared one, or not named by it, or that may not be written."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from disks import BY_ID, MIB, TESTBED, call, refused
from spindlemark.core.errors import UserError
from spindlemark.testbeds import guard, label, layout, signatures


def test_an_empty_disk_is_consented_to_once_and_known_again(disk):
    with (
        pytest.raises(UserError, match="the user has not yet consented to erase it") as told,
        guard.claim(disk.expected.link, TESTBED, guard.BLOCK, disk.expected),
    ):
        pass
    assert told.value.remedy.endswith(f"sudo ./spindlemark run --testbed {TESTBED} --erase {disk.serial}")
    written = disk.consent()
    with guard.claim(disk.expected.link, TESTBED, guard.BLOCK, disk.expected) as node:
        assert node == str(disk.node)
    assert label.read(disk.node) == written
    assert (written.serial, written.bytes, written.testbed) == (disk.serial, disk.size, TESTBED)
    assert disk.read(1)[:1] == b"S" and not any(disk.read(MIB - label.SECTOR, label.SECTOR))
    assert signatures.known(disk.node) == [] and signatures.ambiguous(disk.node) is None


def test_a_disk_with_large_sectors_is_divided_like_any_other(disks):
    disk = disks(options=("--partscan", "--sector-size", "4096"))
    disk.consent()
    node = layout.add(disk.node.name, 8 * MIB)
    try:
        with guard.claim(disk.expected.link, TESTBED, guard.PARTITIONED, disk.expected):
            call("mkfs.ext4", "-q", "-F", node)
    finally:
        layout.remove(disk.node.name)
    with guard.claim(disk.expected.link, TESTBED, guard.BLOCK, disk.expected):
        pass


def test_no_partition_beyond_the_disk(disk):
    disk.consent()
    with pytest.raises(UserError, match="it has 16777216 bytes, too few for"):
        layout.add(disk.node.name, disk.size - layout.RESERVED + 512)
    assert layout.add(disk.node.name, disk.size - layout.RESERVED).name == f"{disk.node.name}p1"
    layout.remove(disk.node.name)


def test_a_label_that_does_not_fit(disk):
    with pytest.raises(UserError, match="too long"):
        disk.consent("t" * 400)
    assert not any(disk.read(MIB))


def test_consent_for_another_testbed_needs_a_word_of_its_own(disk):
    disk.consent("another")
    refused(disk, "for the testbed another", first=guard.BLOCK, testbed="third")
    # refused() also tried to write: consent is what may go on here, and it did not happen without being asked for.
    assert label.read(disk.node).testbed == "another"
    disk.consent(TESTBED)
    assert label.read(disk.node).testbed == TESTBED


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"serial": "OTHER", "erase": "OTHER"}, "its serial number is"),
        ({"erase": "OTHER"}, "erase does not repeat its serial number"),
        ({"erase": ""}, "erase does not repeat its serial number"),
        ({"model": "Another Disk"}, "its model is"),
        ({"model": None}, "its model is"),
        ({"size": 16 * MIB + 512}, "are declared"),
        ({"size": 16 * MIB - 512}, "are declared"),
    ],
)
@pytest.mark.parametrize("labelled", [False, True], ids=["blank", "consented"])
def test_not_as_declared(disk, change, reason, labelled):
    if labelled:
        disk.consent()
    disk.declare(**change)
    refused(disk, reason)


@pytest.mark.parametrize(
    ("serial", "model", "reason"),
    [
        (None, "Test Disk", "reports no serial number"),
        ("OTHER", "Test Disk", "its serial number is 'OTHER'"),
        (None, None, "reports no serial number"),
    ],
)
def test_the_disk_says_another_name(disk, serial, model, reason):
    disk.tell(serial, model)
    refused(disk, reason)


def test_two_disks_with_one_serial_number(disks):
    one, two = disks(serial="0123456789"), disks(serial="0123456789")
    refused(one, f"{two.node.name} has the same serial number", two)
    refused(two, f"{one.node.name} has the same serial number", one)


def test_a_name_that_leads_to_another_disk(disks):
    disk, victim = disks(), disks()
    disk.link.unlink()
    disk.link.symlink_to(f"../../{victim.node.name}")
    refused(disk, "its serial number is", victim)


def test_a_name_outside_by_id(disk, tmp_path):
    link = tmp_path / disk.link.name
    link.symlink_to(disk.node)
    disk.rename(link)
    refused(disk, "not a name in /dev/disk/by-id")


def test_the_kernels_name(disk):
    disk.rename(disk.node)
    refused(disk, "not a name in /dev/disk/by-id")


@pytest.mark.parametrize("form", ["{by_id}/../by-id/{name}", "{by_id}/sub/../{name}", "/dev/../dev/disk/by-id/{name}"])
def test_a_roundabout_name(disk, form):
    (BY_ID / "sub").mkdir(exist_ok=True)
    disk.rename(Path(form.format(by_id=BY_ID, name=disk.link.name)))
    refused(disk, "not a name in /dev/disk/by-id")


def test_a_name_in_a_folder_below_by_id(disk):
    (BY_ID / "sub").mkdir(exist_ok=True)
    link = BY_ID / "sub" / disk.link.name
    link.symlink_to(disk.node)
    disk.rename(link)
    refused(disk, "not a name in /dev/disk/by-id")


def test_by_id_is_itself_a_link(disk, tmp_path):
    """In the namespace of the tests: the folder of links is replaced by one elsewhere."""
    elsewhere = tmp_path / "by-id"
    elsewhere.mkdir()
    (elsewhere / disk.link.name).symlink_to(disk.node)
    call("mount", "-t", "tmpfs", "tmpfs", BY_ID.parent)
    try:
        BY_ID.symlink_to(elsewhere)
        refused(disk, "itself is a link to another folder")
    finally:
        call("umount", BY_ID.parent)


def test_a_dangling_link(disk):
    disk.link.unlink()
    disk.link.symlink_to("../../loop-that-is-not-there")
    refused(disk, "No such file")


def test_links_in_a_circle(disk):
    other = BY_ID / "other"
    disk.link.unlink()
    disk.link.symlink_to("other")
    other.symlink_to(disk.link.name)
    try:
        refused(disk, "points to another link")
    finally:
        other.unlink()


def test_a_link_to_a_link(disk):
    other = BY_ID / "other"
    other.symlink_to(f"../../{disk.node.name}")
    disk.link.unlink()
    disk.link.symlink_to("other")
    try:
        refused(disk, "points to another link")
    finally:
        other.unlink()


def test_a_link_that_a_user_made(disk):
    os.lchown(disk.link, 12345, 12345)
    refused(disk, "was not made by root")


def test_a_node_in_place_of_the_link(disk):
    disk.link.unlink()
    os.mknod(disk.link, 0o600 | stat.S_IFBLK, disk.node.stat().st_rdev)
    refused(disk, "is not a link")


@pytest.mark.parametrize("kind", ["file", "directory", "fifo", "character device"])
def test_no_block_device(disk, tmp_path, kind):
    target = tmp_path / "target"
    if kind == "file":
        target.write_bytes(bytes(disk.size))
    elif kind == "directory":
        target.mkdir()
    elif kind == "fifo":
        os.mkfifo(target)
    else:
        os.mknod(target, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    disk.link.unlink()
    disk.link.symlink_to(target)
    refused(disk, "not a block device")


def test_a_renamed_node(disk):
    renamed = Path("/dev") / f"renamed-{disk.serial}"
    os.mknod(renamed, 0o600 | stat.S_IFBLK, disk.node.stat().st_rdev)
    try:
        disk.link.unlink()
        disk.link.symlink_to(f"../../{renamed.name}")
        refused(disk, "not the kernel's own node")
    finally:
        renamed.unlink()


def test_a_partition(disk):
    call("addpart", disk.node, "1", "2048", "20480")
    part = Path(f"{disk.node}p1")
    disk.link.unlink()
    disk.link.symlink_to(f"../../{part.name}")
    refused(disk, "it is a partition")
    call("delpart", disk.node, "1")


@pytest.mark.parametrize("start", ["2048", "4096"])
def test_a_disk_with_a_partition(disk, start):
    disk.consent()
    call("addpart", disk.node, "1", start, "20480")
    before = disk.checksum()
    for checks in (guard.BLANK, guard.BLOCK):
        with (
            pytest.raises(UserError, match="it has partitions"),
            guard.claim(disk.expected.link, TESTBED, checks, disk.expected),
        ):
            pass
    if start != "2048":
        with (
            pytest.raises(UserError, match="was not made by this program"),
            guard.claim(disk.expected.link, TESTBED, guard.PARTITIONED, disk.expected),
        ):
            pass
    call("delpart", disk.node, "1")
    assert disk.checksum() == before


def test_a_read_only_disk(disks):
    refused(disks(options=("--read-only",)), "it is read-only")


def test_a_write_protected_disk(disk):
    disk.consent()
    call("blockdev", "--setro", disk.node)
    refused(disk, "it is read-only")
    subprocess.run(["blockdev", "--setrw", str(disk.node)], check=True)
