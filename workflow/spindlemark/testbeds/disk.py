"""Properties of a disk that the kernel reports: vendor, parts, and what uses it. Only reads."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from spindlemark.testbeds import kernel

BY_ID = Path("/dev/disk/by-id")
_BLOCK = Path("/sys/class/block")
_UDEV = Path("/run/udev/data")
_BTRFS = Path("/sys/fs/btrfs")
SECTOR = 512  # the unit of sizes in sysfs, whatever the disk's own sector is


def sysfs_of(name: str) -> Path:
    """The folder of a disk or partition in sysfs."""
    return _BLOCK / name


def node_of(name: str) -> Path:
    """The kernel's own node of a disk or partition: a slash in a name is a ! in sysfs."""
    return Path("/dev") / name.replace("!", "/")


def attribute(name: str | None, key: str) -> str | None:
    """One attribute in sysfs, None when it is absent or empty."""
    try:
        return (sysfs_of(name or "") / key).read_text(errors="replace").strip() or None
    except OSError:
        return None


def serial(name: str) -> str | None:
    """The serial number, from the kernel for NVMe, MMC, virtio, SCSI and ATA disks, else (USB) from udev's database."""
    return (
        attribute(name, "device/serial")
        or attribute(name, "serial")
        or _unit_serial(name)
        or _noted(name, "ID_SERIAL_SHORT")
    )


def model(name: str) -> str | None:
    """The model, from the kernel or else from udev's database; None where the disk has none (virtio)."""
    return attribute(name, "device/model") or attribute(name, "device/name") or _noted(name, "ID_MODEL")


def world_wide_name(name: str) -> str | None:
    """The globally unique name of a disk; None where it has none.

    The names that Linux derives from model and serial number instead (t10., nvme.) are not unique.
    """
    found = attribute(name, "wwid") or attribute(name, "device/wwid")
    return found if found and found.startswith(("naa.", "eui.", "uuid.")) else None


def size(name: str) -> int:
    """Bytes of a disk or partition; 0 when it does not exist any more."""
    return int(attribute(name, "size") or 0) * SECTOR


def numbers(name: str) -> set[int]:
    """The device numbers (st_rdev) of the disk and of its partitions."""
    reported = (attribute(one, "dev") for one in (name, *partitions(name)))
    return {os.makedev(*map(int, one.split(":"))) for one in reported if one}


def sequence(number: int) -> int | None:
    """The kernel's sequence number of the disk `number` (as st_rdev): it changes with every disk or attached file."""
    found = attribute(kernel.block_name(number), "diskseq")
    return int(found) if found else None


def partitions(name: str) -> list[str]:
    """Kernel names of the partitions of a disk."""
    return sorted(entry.parent.name for entry in sysfs_of(name).glob("*/partition"))


def all_disks() -> list[str]:
    """Kernel names of all whole disks, with loop devices, without the hidden paths of NVMe disks."""
    return sorted(entry.name for entry in Path("/sys/block").iterdir() if attribute(entry.name, "hidden") != "1")


def carriers(name: str) -> set[str]:
    """The device and everything below it: the disk of a partition, members of a RAID or a volume, and for a loop device
    the disk of its backing file.
    """
    found: set[str] = set()
    open_ends = {name}
    while open_ends:
        present = open_ends.pop()
        if present not in found:
            found.add(present)
            open_ends |= set(_directly_below(present))
    return found


def carriers_of_mount(mount: kernel.Mount) -> set[str]:
    """All block devices below a mounted filesystem; empty where there is none."""
    major, minor = map(int, mount.number.split(":"))
    if major == 0 and not mount.source.startswith("/"):  # in memory, or made by the kernel
        return set()
    named = (kernel.block_name(os.makedev(major, minor)), _named(mount.source))
    names = {name for name in named if name is not None}
    for folder in _BTRFS.glob("*/devices"):
        members = {entry.name for entry in folder.iterdir()}
        if members & names:
            names |= members
    return {below for name in names for below in carriers(name)}


def carriers_of_file(path: str) -> set[str]:
    """All block devices below a device or a file (for example a swap file)."""
    name = _named(path)
    if name is None:
        try:
            name = kernel.block_name(Path(path).stat().st_dev)
        except OSError:
            return set()
    return carriers(name) if name else set()


def _directly_below(name: str) -> Iterator[str]:
    entry = sysfs_of(name)
    if (entry / "partition").exists():
        yield entry.resolve().parent.name
    yield from (slave.name for slave in entry.glob("slaves/*"))
    loop = kernel.loop_of(name) if name.startswith("loop") else None
    if loop is not None:
        below = kernel.block_name(loop.backing_number or loop.device)
        if below:
            yield below


def _named(source: str) -> str | None:
    """Kernel name of the block device at a path, None for anything else."""
    if not source.startswith("/"):
        return None
    try:
        return kernel.block_name(Path(source).stat().st_rdev)
    except OSError:
        return None


def _unit_serial(name: str) -> str | None:
    """Page 0x80 of a SCSI disk's vital product data: four bytes of header, then the serial number."""
    try:
        page = (sysfs_of(name) / "device" / "vpd_pg80").read_bytes()
    except OSError:
        return None
    length = int.from_bytes(page[2:4], "big")
    return page[4 : 4 + length].decode("ascii", errors="replace").strip("\0 ") or None


def _noted(name: str, key: str) -> str | None:
    """A property of the disk in udev's database, which only root can write."""
    number = attribute(name, "dev")
    try:
        noted = (_UDEV / f"b{number}").read_text(errors="replace")
    except OSError:
        return None
    found = re.search(rf"^E:{key}=(.+)$", noted, re.MULTILINE)
    return found[1].strip() if found else None
