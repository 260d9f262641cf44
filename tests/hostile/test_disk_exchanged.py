"""Disks exchanged between check and use: a last check does the exchange, as an attacker or a loose cable would."""

import os

import pytest

from disks import TESTBED, call
from spindlemark.core.errors import UserError
from spindlemark.testbeds import guard, inspected_device, label


def refused_after(disk, exchange, victims=(), reason="changed while it was checked"):
    before = [one.checksum() for one in victims]
    with (
        pytest.raises(UserError, match=reason),
        guard.claim(disk.expected.link, TESTBED, (*guard.BLANK, exchange), disk.expected) as node,
    ):
        call("mkfs.ext4", "-q", "-F", node)
    assert [one.checksum() for one in victims] == before


def once(action):
    done = []

    def check(device):
        if not done:
            done.append(action())

    return check


def test_the_link_is_turned_to_another_disk(disks):
    disk, victim = disks(), disks()

    def turn():
        disk.link.unlink()
        disk.link.symlink_to(f"../../{victim.node.name}")

    refused_after(disk, once(turn), (disk, victim))


def test_another_file_appears_behind_the_same_node(pulled, tmp_path):
    """As when a cable is pulled and another disk takes over its number."""
    disk = pulled
    other = tmp_path / "other.img"
    other.write_bytes(b"films " * (disk.size // 6 + 1))
    os.truncate(other, disk.size)
    before = other.read_bytes()

    def swap():
        call("losetup", "--detach", disk.node)
        call("losetup", disk.node, other)

    refused_after(disk, once(swap))
    assert other.read_bytes() == before


def test_the_disk_shrinks(disk):
    def shrink():
        os.truncate(disk.file, disk.size // 2)
        call("losetup", "--set-capacity", disk.node)

    refused_after(disk, once(shrink), reason="are declared")


def test_the_disk_becomes_read_only(disk):
    refused_after(disk, once(lambda: call("blockdev", "--setro", disk.node)), (disk,), "it is read-only")


def test_the_disk_gets_a_filesystem(disk):
    refused_after(disk, once(lambda: call("mkfs.ext4", "-q", "-F", disk.node)), reason="there is ext4")


def test_the_disk_gets_another_serial_number(disk):
    refused_after(disk, once(lambda: disk.tell("OTHER", disk.model)), (disk,), "its serial number is")


def test_writing_the_label_looks_again_at_the_opened_device(pulled, tmp_path):
    """Even the moment between the guard's last look and the write is covered."""
    disk = pulled
    other = tmp_path / "other.img"
    other.write_bytes(bytes(disk.size))
    seen = inspected_device.inspect(disk.expected.link, TESTBED, disk.expected)
    call("losetup", "--detach", disk.node)
    call("losetup", disk.node, other)
    with pytest.raises(UserError, match="another device took its place"):
        label.write(seen)
    assert not any(other.read_bytes())
