"""Disks with something on them that this program did not write."""

import hashlib
import os
import shutil

import pytest

from disks import MIB, TESTBED, call, refused
from foreign import MAKERS, PARTITIONED, SECTOR, UNKNOWN, films, partitioned_once
from spindlemark.core.errors import UserError
from spindlemark.testbeds import guard, label

BY_NAME = {name: rest for name, *rest in MAKERS}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_foreign_signature(disks, name):
    kind, size, make = BY_NAME[name]
    disk = disks(size * MIB)
    make(disk)
    refused(disk, f"has no signature: there is .*({kind}) at byte")


@pytest.mark.parametrize(
    "name", ["ext4", "btrfs", "swap", "lvm", "md-1.0", "zfs", "gpt", "gpt-second-copy-only", "iso9660"]
)
def test_a_foreign_signature_beside_our_label(disks, name):
    """Somebody formatted the disk after it was consented to: the label may still be there and does not count."""
    kind, size, make = BY_NAME[name]
    disk = disks(size * MIB)
    disk.consent()
    make(disk)
    refused(disk, f"there is .*({kind}) at byte")


@pytest.mark.parametrize("place", UNKNOWN)
def test_data_without_a_signature(disks, place):
    disk = disks(8 * MIB)
    disk.write(films(4), UNKNOWN[place])
    refused(disk, f"it contains unknown data at byte {UNKNOWN[place]}")


@pytest.mark.parametrize("kind", PARTITIONED)
def test_a_filesystem_whose_partition_table_was_zapped(disks, kind):
    disk = disks(100 * MIB)
    partitioned_once(disk, kind)
    refused(disk, f"there is {kind} on it at byte {MIB}, where a partition may have begun")


@pytest.mark.parametrize(
    "start",
    [
        63 * SECTOR,
        2 * MIB,
        4 * MIB,
        8 * MIB,
        17 * MIB,
        101 * MIB,
        117 * MIB,
        128 * MIB + 34 * SECTOR,
        129 * MIB,
        200 * MIB + 40 * SECTOR,
        261 * MIB,
    ],
)
def test_a_filesystem_where_partitions_begin(disks, start):
    """Also one in the middle of nothing, so small that hardly a sample would lie in it."""
    disk = disks(start // MIB * MIB + 60 * MIB)
    call("mkfs.ext4", "-q", "-F", "-E", f"offset={start}", disk.node, "512k")
    refused(disk, f"there is ext4 on it at byte {start}, where a partition may have begun")


def test_films_between_the_first_the_middle_and_the_last_mib(disks):
    disk = disks(64 * MIB)
    disk.write(films(31 * MIB), MIB)
    disk.write(films(30 * MIB), 33 * MIB)
    refused(disk, f"it contains unknown data at byte {MIB}")


@pytest.mark.parametrize("share", [0.11, 0.37, 0.55, 0.83])
def test_films_anywhere_of_a_256th_of_the_disk(disks, share):
    disk = disks(256 * MIB)
    disk.write(films(MIB), int(disk.size * share))
    refused(disk, "it contains unknown data")


@pytest.mark.parametrize("readable", [MIB // 2, 16 * MIB - MIB // 2], ids=["first MiB", "last MiB"])
@pytest.mark.parametrize("labelled", [False, True], ids=["blank", "consented"])
def test_a_place_that_cannot_be_read(disk, readable, labelled):
    """The kernel gives what lies before a bad sector, and the error only to who asks again."""
    if labelled:
        disk.consent()
    os.truncate(disk.file, readable)
    call("blockdev", "--flushbufs", disk.node)  # what was read before would be shown from memory
    before = hashlib.sha256(disk.file.read_bytes()).hexdigest()
    for checks in (guard.BLANK, guard.BLOCK):
        with (
            pytest.raises(UserError, match=f"cannot be read at byte {readable}: Input/output error"),
            guard.claim(disk.expected.link, TESTBED, checks, disk.expected),
        ):
            pass
    assert hashlib.sha256(disk.file.read_bytes()).hexdigest() == before


def test_a_sampled_place_that_cannot_be_read(disks):
    disk = disks(100 * MIB)
    os.truncate(disk.file, 45 * MIB)
    with pytest.raises(UserError, match=r"cannot be read at byte (4[5-9]|5\d)\d{6}: Input/output error"):
        disk.consent()
    assert disk.file.stat().st_size == 45 * MIB and not any(disk.file.read_bytes())


@pytest.fixture
def wipefs(private, tmp_path):
    """Let wipefs say something else, in the mount namespace of the tests."""
    tool = shutil.which("wipefs")

    def say(text: str, code: int = 0) -> None:
        (tmp_path / "said").write_text(text)
        (tmp_path / "wipefs").write_text(f"#!/bin/sh\ncat {tmp_path}/said\nexit {code}\n")
        (tmp_path / "wipefs").chmod(0o755)
        call("mount", "--bind", tmp_path / "wipefs", tool)

    yield say
    call("umount", tool)


@pytest.mark.parametrize(
    "text",
    [
        '{"signatures": null}',
        '{"signatures": {}}',
        '{"signatures": ""}',
        '{"signatures": 0}',
        '{"signatures": "ext4"}',
        '{"signatures": [null]}',
        '{"signatures": [{}]}',
        '{"signatures": ["ext4"]}',
        '{"signatures": [{"type": "ext4"}]}',
        '{"signatures": [{"offset": "0x438"}]}',
        '{"signatures": [{"type": "ext4", "offset": 1080}]}',
        '{"signatures": [{"type": "ext4", "offset": "here"}]}',
        '{"signatures": [{"type": "ext4", "offset": null}]}',
        "{}",
        "[]",
        "null",
        "7",
        '"signatures"',
        "DEVICE OFFSET TYPE UUID LABEL",
        "[" * 3000,
        "\0",
        '{"signatures": [',
    ],
)
def test_wipefs_says_something_else(disk, wipefs, text):
    wipefs(text)
    refused(disk, "the output of wipefs is not in a known format")


def test_wipefs_fails_with_an_answer(disk, wipefs):
    wipefs('{"signatures": []}', code=1)
    refused(disk, "wipefs cannot read it: 1")


@pytest.mark.parametrize("text", ["", "\n", '{"signatures": []}'])
def test_wipefs_finds_nothing(disk, wipefs, text):
    """Some versions say nothing at all then."""
    wipefs(text)
    disk.consent()


@pytest.mark.parametrize("offset", [label.SECTOR, MIB - 4, -4, -MIB])
def test_data_beside_our_label(disk, offset):
    disk.consent()
    disk.write(films(4), offset)
    refused(disk, "another program wrote data next to its label")


def test_what_was_measured_is_no_foreign_data(disk):
    """All but the first and the last MiB is ours once the disk is."""
    disk.consent()
    disk.write(films(14 * MIB), MIB)
    with guard.claim(disk.expected.link, TESTBED, guard.BLOCK, disk.expected):
        pass


def test_our_label_copied_to_another_disk(disks):
    ours, other = disks(), disks()
    ours.consent()
    other.write(ours.read(MIB))
    refused(other, "written on another disk and copied here", ours)


@pytest.mark.parametrize("change", [{"serial": "OTHER"}, {"model": "OTHER"}, {"bytes": 8 * MIB}])
def test_our_label_with_another_disks_name(disk, change):
    written = disk.consent()
    disk.write(label.packed(written.model_copy(update=change)))
    refused(disk, "written on another disk and copied here")


@pytest.mark.parametrize("offset", [len(label.MAGIC), 60, 200, label.SECTOR - 1])
def test_our_label_damaged(disk, offset):
    disk.consent()
    disk.write(bytes([disk.read(1, offset)[0] ^ 1]), offset)
    refused(disk, "the checksum does not match")


def test_our_label_torn(disk):
    disk.consent()
    disk.write(bytes(256), 128)
    refused(disk, "the checksum does not match")


def test_a_label_of_another_version(disk):
    written = disk.consent()
    disk.write(label.packed(written.model_copy(update={"label_format": 2})))
    refused(disk, "not written by this version")


def test_only_our_magic(disk):
    disk.write(label.MAGIC)
    refused(disk, "the checksum does not match")


def test_a_refusal_for_content_says_how_to_empty_the_disk(disk):
    call("mkfs.ext4", "-q", "-F", disk.node)
    with pytest.raises(UserError) as told:
        disk.consent()
    assert f"blkdiscard --zeroout {disk.link}" in told.value.remedy
    call("blkdiscard", "--force", "--zeroout", disk.link)
    disk.consent()
