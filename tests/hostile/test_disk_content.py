"""Disks with something on them that this program did not write."""

import pytest
from disks import MIB, TESTBED, call, refused
from foreign import MAKERS, UNKNOWN, films
from spindlemark.errors import UserError
from spindlemark.testbeds import guard, label

BY_NAME = {name: rest for name, *rest in MAKERS}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_foreign_signature(disks, name):
    kind, size, make = BY_NAME[name]
    disk = disks(size * MIB)
    make(disk)
    refused(disk, f"has no signature: there is .*({kind}) at byte")


@pytest.mark.parametrize("name", ["ext4", "btrfs", "swap", "lvm", "md-1.0", "zfs", "gpt", "gpt-second-copy-only",
                                  "iso9660"])
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
    refused(disk, f"its {place.split('-')[0]} MiB holds data")


@pytest.mark.parametrize("offset", [label.SECTOR, MIB - 4, -4, -MIB])
def test_data_beside_our_label(disk, offset):
    disk.consent()
    disk.write(films(4), offset)
    refused(disk, "something was written beside its label")


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
    refused(disk, "the checksum does not fit")


def test_our_label_torn(disk):
    disk.consent()
    disk.write(bytes(256), 128)
    refused(disk, "the checksum does not fit")


def test_a_label_of_another_version(disk):
    written = disk.consent()
    disk.write(label.packed(written.model_copy(update={"label_format": 2})))
    refused(disk, "not one that this version writes")


def test_only_our_magic(disk):
    disk.write(label.MAGIC)
    refused(disk, "the checksum does not fit")


def test_a_refusal_for_content_says_how_to_empty_the_disk(disk):
    call("mkfs.ext4", "-q", "-F", disk.node)
    with pytest.raises(UserError) as told:
        disk.consent()
    assert f"blkdiscard --zeroout {disk.link}" in told.value.remedy
    call("blkdiscard", "--force", "--zeroout", disk.link)
    disk.consent()
