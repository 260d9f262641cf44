"""Checks for real disks: it is the declared disk, there are no foreign data on it, and the user consented."""

import os
import stat

from spindlemark.testbeds import (
    blank_check,
    checks,
    device_writers,
    disk,
    kernel,
    label,
    label_notes,
    layout,
    signatures,
)
from spindlemark.testbeds.inspected_device import InspectedDevice


def has_stable_name(device: InspectedDevice) -> str | None:
    """Named by one link in /dev/disk/by-id that points to the kernel's node.

    Names such as /dev/sda may belong to another disk after the next boot.
    """
    link = device.declared.link
    if str(link) != os.path.normpath(link) or link.parent != disk.BY_ID:
        return f"{link} is not a name in {disk.BY_ID}, and other names may belong to another disk after a boot"
    if os.path.realpath(disk.BY_ID) != str(disk.BY_ID):
        return f"{disk.BY_ID} itself is a link to another folder"
    if device.target is None:
        return f"{link} is not a link"
    if os.lstat(link).st_uid != 0:
        return f"{link} was not made by root"
    if stat.S_ISLNK(device.mode):
        return f"{link} points to another link, {device.path}"
    return None


def is_a_disk(device: InspectedDevice) -> str | None:
    """Neither a partition nor a device that consists of other disks."""
    if checks.is_partition(device):
        return "it is a partition: only a whole disk can be used"
    made_of = [entry.name for entry in device.sysfs.glob("slaves/*")]
    return f"it consists of {', '.join(made_of)}: only a disk can be used" if made_of else None


def is_a_sound_loop_device(device: InspectedDevice) -> str | None:
    """A loop device in the place of a disk must show a whole file that no other loop device shows."""
    if os.major(device.number) != kernel.LOOP_MAJOR:
        return None
    loop = kernel.loop_of(device.name)
    if loop is not None and loop.backing_number:
        return f"it is a loop device on another device, {loop.backing}"
    if loop is not None and loop.deleted:
        return "its backing file is gone"
    return checks.is_loop(device) or checks.is_attached_once(device)


def serial_is_typed_twice(device: InspectedDevice) -> str | None:
    """`erase` repeats the serial number."""
    declared = device.declared
    return None if declared.erase == declared.serial else "erase does not repeat its serial number"


def serial_is_as_declared(device: InspectedDevice) -> str | None:
    """The disk reports the declared serial number."""
    found = disk.serial(device.name)
    if found is None:
        return "it reports no serial number, so it cannot be distinguished from others"
    return None if found == device.declared.serial else f"its serial number is {found!r}, not as declared"


def serial_is_unique(device: InspectedDevice) -> str | None:
    """No other disk of the machine has the same serial number, which happens with cheap ones."""
    same = [name for name in disk.all_disks() if name != device.name and disk.serial(name) == device.declared.serial]
    return f"{', '.join(same)} has the same serial number" if same else None


def model_is_as_declared(device: InspectedDevice) -> str | None:
    """The disk reports the declared model; null for a disk that reports none."""
    found = disk.model(device.name)
    return None if found == device.declared.model else f"its model is {found!r}, not as declared"


def size_is_as_declared(device: InspectedDevice) -> str | None:
    """The disk has as many bytes as declared."""
    found = disk.size(device.name)
    return None if found == device.declared.size else f"it has {found} bytes, and {device.declared.size} are declared"


def is_writable(device: InspectedDevice) -> str | None:
    """Not write-protected."""
    return "it is read-only" if disk.attribute(device.name, "ro") != "0" else None


def is_not_shown_by_a_loop_device(device: InspectedDevice) -> str | None:
    """No loop device is attached to it or to a part of it, which the kernel does not count as a claim."""
    own = {device.name, *disk.partitions(device.name)}
    attached = [loop.name for loop in kernel.loops() if kernel.block_name(loop.backing_number) in own]
    return f"the loop device {', '.join(attached)} is attached to it" if attached else None


def is_not_open_for_writing(device: InspectedDevice) -> str | None:
    """No other process has it or a partition of it open for writing, which the kernel does not count as a claim."""
    writer = device_writers.find(disk.numbers(device.name))
    return f"{writer} has it open for writing" if writer else None


def has_no_partitions(device: InspectedDevice) -> str | None:
    """The kernel knows of no partition on it."""
    found = disk.partitions(device.name)
    return f"it has partitions: {', '.join(found)}" if found else None


def has_only_our_partition(device: InspectedDevice) -> str | None:
    """Its only partition is the one that this program adds."""
    return layout.problem(device.name)


def has_no_signature(device: InspectedDevice) -> str | None:
    """Neither wipefs nor blkid finds a partition table, filesystem, RAID, LVM, LUKS, ZFS or swap."""
    found = signatures.known(device.path)
    return f"there is {', '.join(found)} on it" if found else signatures.ambiguous(device.path)


def is_blank_or_consented(device: InspectedDevice) -> str | None:
    """All places that `blank_check` reads contain zeros, or there is a label of this program."""
    try:
        found = label.read(device.path)
    except label.DamagedError as error:
        return str(error)
    if found is not None:
        return label.problem(found, device.declared, None)
    return blank_check.foreign(device.path, disk.size(device.name))


def is_consented(device: InspectedDevice) -> str | None:
    """The label records the user's consent for this testbed. Run after `is_blank_or_consented`."""
    found = label.read(device.path)
    if found is None:
        return "the user has not yet consented to erase it"
    return label.problem(found, device.declared, device.testbed)


def is_known_here(device: InspectedDevice) -> str | None:
    """The label was written on this machine and on this disk. Run after `is_consented`."""
    found = label.read(device.path)
    return label_notes.problem(found.uuid, device.name) if found else "it has no label"
