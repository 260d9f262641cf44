"""The part of a disk that is measured: a partition after the label, which exists only in the kernel.

`BLKPG` adds it without writing a partition table. It costs one addition per request, as any partition does, and limits
every filesystem to the bytes that the profile sets. It does not survive a reboot and is added again when needed.
"""

import ctypes
import errno
import fcntl
import os
import struct
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import blank_check, disk, retry

START = blank_check.AREA  # bytes before the partition: the label's
RESERVED = 2 * blank_check.AREA  # bytes before and after it, since some signatures are at the end of a disk
NUMBER = 1
_BLKPG, _ADD, _DELETE = 0x1269, 1, 2


def problem(name: str) -> str | None:
    """Say why a disk does not have exactly the partition that `add` makes; None when it does."""
    found = disk.partitions(name)
    if len(found) != 1:
        return f"it has {len(found)} partitions instead of the one that this program makes"
    number, start = (disk.attribute(found[0], key) for key in ("partition", "start"))
    if (number, start) != (str(NUMBER), str(START // disk.SECTOR)):
        return f"its partition {found[0]} was not made by this program"
    return None


def add(name: str, size: int) -> Path:
    """Let the kernel add the partition of `size` bytes and return its node; raises UserError when it cannot."""
    if size + RESERVED > disk.size(name):
        raise UserError(
            f"{disk.node_of(name)}: it has {disk.size(name)} bytes, too few for {size} and {RESERVED} for its label",
            "lower image_size in config/profiles/<profile>.yaml",
        )
    try:
        _request(name, _ADD, START, size)
    except OSError as error:
        raise UserError(
            f"{disk.node_of(name)}: the kernel cannot add a partition: {error.strerror}",
            "name a disk that can be partitioned",
        ) from None
    node = disk.node_of(disk.partitions(name)[0])
    retry.until(node.is_block_device, f"{node}: does not appear")
    return node


def remove(name: str) -> None:
    """Remove the partition; nothing on the disk changes. Raises UserError when it stays in use."""
    retry.until(lambda: _removed(name), f"{disk.node_of(name)}: its partition stays in use")


def _removed(name: str) -> bool:
    try:
        _request(name, _DELETE, 0, 0)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return False
        if error.errno != errno.ENXIO:  # removed already
            raise
    return True


def _request(name: str, operation: int, start: int, length: int) -> None:
    """Call BLKPG with struct blkpg_ioctl_arg and struct blkpg_partition of linux/blkpg.h."""
    partition = ctypes.create_string_buffer(struct.pack("=qqi64s64s4x", start, length, NUMBER, b"", b""))
    argument = struct.pack("@iiiP", operation, 0, len(partition.raw) - 1, ctypes.addressof(partition))
    descriptor = os.open(disk.node_of(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, _BLKPG, argument)
    finally:
        os.close(descriptor)
