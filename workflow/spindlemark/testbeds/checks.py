"""Checks that every block device must pass before it is formatted, and those of loop devices.

A check never writes. It returns the reason why the device must not be used, or None.
"""

import os
import stat

from spindlemark.testbeds import disk, image, kernel
from spindlemark.testbeds.inspected_device import InspectedDevice

_SYSTEM = {
    "/": "root",
    "/boot": "boot",
    "/boot/efi": "boot",
    "/efi": "boot",
    "/usr": "system",
    "/var": "system",
    "/etc": "system",
    "/home": "home",
}


def is_block_device(device: InspectedDevice) -> str | None:
    """A device node with the kernel's own path, neither a link nor a file."""
    if stat.S_ISLNK(device.mode):
        return "it is a symbolic link"
    if not stat.S_ISBLK(device.mode):
        return "it is not a block device"
    if device.path != device.node:
        return f"it is not the kernel's own node, which is {device.node}"
    return None


def is_whole_device(device: InspectedDevice) -> str | None:
    """Neither a partition nor a device with partitions."""
    if is_partition(device):
        return "it is a partition"
    return "it has partitions" if disk.partitions(device.name) else None


def is_partition(device: InspectedDevice) -> bool:
    """Whether it is a part of a disk."""
    return (device.sysfs / "partition").exists()


def is_loop(device: InspectedDevice) -> str | None:
    """A loop device that shows a whole file."""
    if os.major(device.number) != kernel.LOOP_MAJOR:
        return "it is not a loop device"
    loop = kernel.loop_of(device.name)
    if loop is None:
        return "no file is attached to it"
    if loop.offset or loop.size_limit:
        return "it shows only a part of its file"
    return None


def backing_file_is_ours(device: InspectedDevice) -> str | None:
    """The file behind the loop device was made by this program for this testbed, and was not moved."""
    loop = kernel.loop_of(device.name)
    if loop is None or loop.deleted:
        return "its backing file is gone"
    return image.problem(loop.backing, device.testbed, loop.file)


def is_attached_once(device: InspectedDevice) -> str | None:
    """No second loop device writes to the same file."""
    loops = kernel.loops()
    own = next((loop for loop in loops if loop.name == device.name), None)
    if own is None:
        return "no file is attached to it"
    others = [loop.name for loop in loops if loop != own and (loop.device, loop.inode) == (own.device, own.inode)]
    return f"its backing file is attached to {', '.join(others)} too" if others else None


def is_not_below_the_system(device: InspectedDevice) -> str | None:
    """Neither the root, a boot nor the home filesystem uses it, directly or through other devices."""
    name = device.name
    for mount in kernel.mounts_everywhere():
        if str(mount.point) in _SYSTEM and name in disk.carriers_of_mount(mount):
            return f"the {_SYSTEM[str(mount.point)]} filesystem {mount.point} is on it"
    return None


def is_not_mounted(device: InspectedDevice) -> str | None:
    """No mounted filesystem, in any mount namespace, uses it."""
    name, checked = device.name, set()  # the same filesystem is often mounted in many places
    for mount in kernel.mounts_everywhere():
        if (mount.number, mount.source) in checked:
            continue
        if mount.source == str(device.path) or name in disk.carriers_of_mount(mount):
            return f"it is mounted on {mount.point}"
        checked.add((mount.number, mount.source))
    return None


def is_not_swap(device: InspectedDevice) -> str | None:
    """Neither it nor anything on it is used as swap."""
    for path in kernel.swaps():
        if path == str(device.path) or device.name in disk.carriers_of_file(path):
            return "it is swap" if path == str(device.path) else f"the swap {path} is on it"
    return None


def has_no_holders(device: InspectedDevice) -> str | None:
    """No device mapper, RAID or cache device uses it."""
    folders = [device.name, *disk.partitions(device.name)]
    holders = [entry.name for name in folders for entry in disk.sysfs_of(name).glob("holders/*")]
    return f"it is used by {', '.join(holders)}" if holders else None


def opens_exclusively(device: InspectedDevice) -> str | None:
    """The kernel grants an exclusive claim: it is not mounted, used as swap or claimed otherwise."""
    try:
        descriptor = os.open(device.path, os.O_RDONLY | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        return f"the kernel does not grant an exclusive claim: {error.strerror}"
    os.close(descriptor)
    return None
