"""The part of a disk that is measured: a partition that exists only in the kernel, behind the label.

`BLKPG` adds it without writing a partition table; it costs what any partition costs, one addition per request, and
limits every filesystem to the bytes that the profile asks for. It is gone after a reboot and made again when needed.
"""

import ctypes
import errno
import fcntl
import os
import struct
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import blank_check, disk, unmounting

START = blank_check.AREA  # bytes before the partition: the label's
RESERVED = 2 * blank_check.AREA  # bytes before and after it: some signatures lie at the end of a disk
NUMBER = 1
_BLKPG, _ADD, _DELETE = 0x1269, 1, 2


def complaint(name: str) -> str | None:
    """Why the partitions of a disk are not the one that `add` makes; None when they are."""
    found = disk.partitions(name)
    if len(found) != 1:
        return f"it has {len(found)} partitions instead of the one that this program makes"
    number, start = (disk.attribute(found[0], key) for key in ("partition", "start"))
    if (number, start) != (str(NUMBER), str(START // disk.SECTOR)):
        return f"its partition {found[0]} was not made by this program"
    return None


def add(name: str, size: int) -> Path:
    """Let the kernel make the partition with `size` bytes and return its node; raises UserError when it cannot."""
    if size + RESERVED > disk.size(name):
        raise UserError(
            f"{disk.node_of(name)}: {size} bytes and {RESERVED} for its label do not fit on {disk.size(name)} bytes",
            "lower image_size in config/profiles/<profile>.yaml",
        )
    try:
        _ask(name, _ADD, START, size)
    except OSError as error:
        raise UserError(
            f"{disk.node_of(name)}: the kernel makes no partition on it: {error.strerror}",
            "name a disk that can be partitioned",
        ) from None
    node = disk.node_of(disk.partitions(name)[0])
    unmounting.until(node.is_block_device, f"{node}: does not appear")
    return node


def remove(name: str) -> None:
    """Take the partition away again; nothing on the disk changes. Raises UserError when it stays in use."""
    unmounting.until(lambda: _removed(name), f"{disk.node_of(name)}: its partition stays in use")


def _removed(name: str) -> bool:
    try:
        _ask(name, _DELETE, 0, 0)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return False
        if error.errno != errno.ENXIO:  # gone already
            raise
    return True


def _ask(name: str, operation: int, start: int, length: int) -> None:
    """Struct blkpg_ioctl_arg and struct blkpg_partition of linux/blkpg.h."""
    partition = ctypes.create_string_buffer(struct.pack("=qqi64s64s4x", start, length, NUMBER, b"", b""))
    argument = struct.pack("@iiiP", operation, 0, len(partition.raw) - 1, ctypes.addressof(partition))
    descriptor = os.open(disk.node_of(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, _BLKPG, argument)
    finally:
        os.close(descriptor)
