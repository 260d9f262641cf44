"""Checks that only real disks need: is it the one that was declared, is nobody's data on it, did the user consent?"""

import os
import stat

from spindlemark.testbeds import blank_check, checks, disk, kernel, label, label_notes, layout, signatures, writers
from spindlemark.testbeds.candidate import Candidate


def has_stable_name(device: Candidate) -> str | None:
    """Named by one link in /dev/disk/by-id that leads straight to the kernel's node.

    Names as /dev/sda go from disk to disk with every start of the machine.
    """
    link = device.declared.link
    if str(link) != os.path.normpath(link) or link.parent != disk.BY_ID:
        return f"{link} is not a name in {disk.BY_ID}, and others go from disk to disk"
    if os.path.realpath(disk.BY_ID) != str(disk.BY_ID):
        return f"{disk.BY_ID} itself leads elsewhere"
    if device.target is None:
        return f"{link} is not a link"
    if os.lstat(link).st_uid != 0:
        return f"{link} was not made by root"
    if stat.S_ISLNK(device.mode):
        return f"{link} leads to another link, {device.path}"
    return None


def is_a_disk(device: Candidate) -> str | None:
    """Neither a partition nor something that is made of other disks."""
    if checks.is_partition(device):
        return "it is a partition: only a whole disk is used"
    made_of = [entry.name for entry in device.sysfs.glob("slaves/*")]
    return f"it is made of {', '.join(made_of)}: only a disk is used" if made_of else None


def is_a_sound_loop_device(device: Candidate) -> str | None:
    """Where a loop device stands for a disk: a whole file that nothing else shows."""
    if os.major(device.number) != kernel.LOOP_MAJOR:
        return None
    loop = kernel.loop_of(device.name)
    if loop is not None and loop.backing_number:
        return f"it is a loop device on another device, {loop.backing}"
    if loop is not None and loop.deleted:
        return "its backing file is gone"
    return checks.is_loop(device) or checks.is_attached_once(device)


def serial_is_typed_twice(device: Candidate) -> str | None:
    """`erase` says the serial number a second time."""
    declared = device.declared
    return None if declared.erase == declared.serial else "erase is not its serial number, typed again"


def serial_is_as_declared(device: Candidate) -> str | None:
    """The disk says the serial number that was declared."""
    found = disk.serial(device.name)
    if found is None:
        return "it tells no serial number, so it cannot be told from others"
    return None if found == device.declared.serial else f"its serial number is {found!r}, not as declared"


def serial_is_unique(device: Candidate) -> str | None:
    """No other disk of the machine has the same serial number, as cheap ones do."""
    same = [name for name in disk.all_disks() if name != device.name and disk.serial(name) == device.declared.serial]
    return f"{', '.join(same)} has the same serial number" if same else None


def model_is_as_declared(device: Candidate) -> str | None:
    """The disk says the model that was declared; null where it says none."""
    found = disk.model(device.name)
    return None if found == device.declared.model else f"its model is {found!r}, not as declared"


def size_is_as_declared(device: Candidate) -> str | None:
    """The disk has as many bytes as declared."""
    found = disk.size(device.name)
    return None if found == device.declared.size else f"it has {found} bytes, declared are {device.declared.size}"


def is_writable(device: Candidate) -> str | None:
    """Not write-protected."""
    return "it is read-only" if disk.attribute(device.name, "ro") != "0" else None


def is_not_shown_by_a_loop_device(device: Candidate) -> str | None:
    """No loop device shows it or a part of it: the kernel does not count that as a claim."""
    own = {device.name, *disk.partitions(device.name)}
    shown = [loop.name for loop in kernel.loops() if kernel.block_name(loop.backing_number) in own]
    return f"{', '.join(shown)} shows it" if shown else None


def is_not_open_for_writing(device: Candidate) -> str | None:
    """No other process could write on it or on a partition of it: an ordinary descriptor is no claim to the kernel."""
    writer = writers.of(disk.numbers(device.name))
    return f"{writer} has it open for writing" if writer else None


def has_no_partitions(device: Candidate) -> str | None:
    """The kernel knows of no partition on it."""
    found = disk.partitions(device.name)
    return f"it has partitions: {', '.join(found)}" if found else None


def has_only_our_partition(device: Candidate) -> str | None:
    """The one partition is where this program puts it."""
    return layout.complaint(device.name)


def has_no_signature(device: Candidate) -> str | None:
    """No partition table, filesystem, RAID, LVM, LUKS, ZFS or swap that wipefs knows, and nothing unclear to blkid."""
    found = signatures.known(device.path)
    return f"there is {', '.join(found)} on it" if found else signatures.ambiguous(device.path)


def is_blank_or_consented(device: Candidate) -> str | None:
    """Zeros in all places where it is looked at, or a label that this program wrote: then all behind that is ours."""
    try:
        found = label.read(device.path)
    except label.DamagedError as error:
        return str(error)
    if found is not None:
        return label.complaint(found, device.declared, None)
    return blank_check.foreign(device.path, disk.size(device.name))


def is_consented(device: Candidate) -> str | None:
    """The label says that the user consented for this testbed; asked after `is_blank_or_consented`."""
    found = label.read(device.path)
    if found is None:
        return "nobody consented yet to erase it"
    return label.complaint(found, device.declared, device.testbed)


def is_known_here(device: Candidate) -> str | None:
    """The label was written on this machine and on this disk; asked after `is_consented`."""
    found = label.read(device.path)
    return label_notes.complaint(found.uuid, device.name) if found else "it carries no label"
