"""The guard: which block devices may be written to. Every destructive command goes through `claim`.

Kinds of testbeds combine checks. LOOP is the list for loop devices on our own files. The others are for real disks:
BLANK before the user's consent is written on one, BLOCK before our partition is added, PARTITIONED before each destructive
command on that partition. Order matters: checks that need not open the device come first, then it is opened
(read-only, exclusively), and its content is read last.

Tools get the kernel's own node and not /proc/self/fd/N, because mkfs.xfs, mkfs.btrfs and mount resolve such a link to
the node and open that. The node is safe because of the descriptor that `claim` keeps open: the kernel gives neither the
number nor the name to another disk, and no other file can be attached to a loop device. After opening and immediately
before the command, the node is compared with the descriptor, by major:minor and by the kernel's sequence number of
disks, and all checks run again.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds.checks import (
    backing_file_is_ours,
    has_no_holders,
    is_attached_once,
    is_block_device,
    is_loop,
    is_not_below_the_system,
    is_not_mounted,
    is_not_swap,
    is_whole_device,
    opens_exclusively,
)
from spindlemark.testbeds.disk_checks import (
    has_no_partitions,
    has_no_signature,
    has_only_our_partition,
    has_stable_name,
    is_a_disk,
    is_a_sound_loop_device,
    is_blank_or_consented,
    is_consented,
    is_known_here,
    is_not_open_for_writing,
    is_not_shown_by_a_loop_device,
    is_writable,
    model_is_as_declared,
    serial_is_as_declared,
    serial_is_typed_twice,
    serial_is_unique,
    size_is_as_declared,
)
from spindlemark.testbeds.inspected_device import Check, Expected, InspectedDevice, inspect

LOOP: tuple[Check, ...] = (
    is_block_device,
    is_whole_device,
    is_loop,
    backing_file_is_ours,
    is_attached_once,
    is_not_mounted,
    is_not_swap,
    has_no_holders,
    opens_exclusively,
)

# It is the declared disk, and it is not in use.
_DISK: tuple[Check, ...] = (
    has_stable_name,
    is_block_device,
    is_a_disk,
    is_a_sound_loop_device,
    serial_is_typed_twice,
    serial_is_as_declared,
    serial_is_unique,
    model_is_as_declared,
    size_is_as_declared,
    is_writable,
    is_not_below_the_system,
    is_not_mounted,
    is_not_swap,
    has_no_holders,
    is_not_shown_by_a_loop_device,
    is_not_open_for_writing,
)
BLANK: tuple[Check, ...] = (*_DISK, has_no_partitions, opens_exclusively, has_no_signature, is_blank_or_consented)
BLOCK: tuple[Check, ...] = (*BLANK, is_consented, is_known_here)
PARTITIONED: tuple[Check, ...] = (
    *_DISK,
    has_only_our_partition,
    opens_exclusively,
    has_no_signature,
    is_blank_or_consented,
    is_consented,
    is_known_here,
)


@contextmanager
def claim(path: Path, testbed: str, checks: Sequence[Check] = LOOP, expected: Expected | None = None) -> Iterator[str]:
    """Check the device and yield its node for one destructive command that runs immediately.

    `expected` is the declaration of a disk. The device stays open (read-only, not exclusively, so that mkfs can claim
    it) as long as the context lasts. Raises UserError naming the check that failed.
    """
    device = inspect(path, testbed, expected)
    require(device, checks)
    descriptor = os.open(device.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        # From here on it cannot be replaced, so check again what could have changed before.
        if os.fstat(descriptor).st_rdev != device.number or inspect(path, testbed, expected) != device:
            raise refusal(device, "same device", "it changed while it was checked")
        require(device, checks)
        yield str(device.path)
    finally:
        os.close(descriptor)


def require(device: InspectedDevice, checks: Sequence[Check]) -> None:
    """Raise UserError with the reason of the first check that fails."""
    for check in checks:
        reason = check(device)
        if reason is not None:
            raise refusal(device, check.__name__, reason)


def refusal(device: InspectedDevice, check: str, reason: str) -> UserError:
    """The error for a device that must not be written to."""
    return UserError(
        f"{device.path}: refused by the check {check.replace('_', ' ')}: {reason}; nothing was written",
        _remedy(device, check),
    )


def _remedy(device: InspectedDevice, check: str) -> str:
    if device.expected is None:
        return "only devices that this program made are formatted; remove the cause, then run again"
    link = device.expected.link
    if check in (is_consented.__name__, is_known_here.__name__):
        return (
            f"if everything on it may be erased permanently: sudo ./spindlemark run --testbed {device.testbed} "
            f"--erase {device.expected.serial}"
        )
    if check in (has_no_signature.__name__, has_no_partitions.__name__, is_blank_or_consented.__name__):
        return (
            f"only an empty disk can be used: if nothing on it is needed, empty it yourself, for example with "
            f"blkdiscard --zeroout {link}"
        )
    return (
        f"only the disk that config/testbeds/{device.testbed}.yaml declares can be used, and only while nothing else "
        "uses it"
    )
