"""The guard: which block devices may be written to. Every destructive command goes through `claim`.

Kinds of testbeds combine checks: LOOP is the list for loop devices on our own files, the others are for real disks:
BLANK before the user's consent is written on one, BLOCK before it is divided, DIVIDED before each destructive command
on our partition of it. Order matters: the device is opened (read-only, exclusively) only after everything that can be
known without opening it, and its content is looked at last.

Tools are given the kernel's own node and not /proc/self/fd/N: mkfs.xfs, mkfs.btrfs and mount resolve such a link to
the node again and open that. What makes the node safe is the descriptor that `claim` holds: as long as it is open the
kernel gives neither the number nor the name to another disk, and no other file can be attached to a loop device. The
node is compared with the descriptor, by major:minor and by the kernel's sequence number of disks, and every check is
asked again, after it was opened and immediately before the command.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds.candidate import Candidate, Check, Expected, look
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

# The disk that was declared, and nobody uses it.
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
DIVIDED: tuple[Check, ...] = (
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
    """Check the device and yield the node to give to a destructive command that runs at once.

    `expected` is what was declared about a disk. The device stays open (read-only, not exclusively, so that mkfs can
    claim it) as long as the context lasts. Raises UserError naming the check that failed.
    """
    device = look(path, testbed, expected)
    require(device, checks)
    descriptor = os.open(device.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        # From here on it cannot be exchanged; look once more at what could change before.
        if os.fstat(descriptor).st_rdev != device.number or look(path, testbed, expected) != device:
            raise refusal(device, "same device", "it changed while it was checked")
        require(device, checks)
        yield str(device.path)
    finally:
        os.close(descriptor)


def require(device: Candidate, checks: Sequence[Check]) -> None:
    """Raise UserError with the first thing that speaks against the device."""
    for check in checks:
        reason = check(device)
        if reason is not None:
            raise refusal(device, check.__name__, reason)


def refusal(device: Candidate, check: str, reason: str) -> UserError:
    """The error of a device that is not touched."""
    return UserError(
        f"{device.path}: refused by the check {check.replace('_', ' ')}: {reason}; nothing was written",
        _remedy(device, check),
    )


def _remedy(device: Candidate, check: str) -> str:
    if device.expected is None:
        return "only devices that this program made are formatted; remove what is named, then run again"
    link = device.expected.link
    if check in (is_consented.__name__, is_known_here.__name__):
        return (
            f"if everything on it may be erased for ever: sudo ./spindlemark run --testbed {device.testbed} "
            f"--erase {device.expected.serial}"
        )
    if check in (has_no_signature.__name__, has_no_partitions.__name__, is_blank_or_consented.__name__):
        return (
            f"only an empty disk is taken: if nothing on it is needed, empty it yourself, as with "
            f"blkdiscard --zeroout {link}"
        )
    return (
        f"nothing but the disk that config/testbeds/{device.testbed}.yaml declares is taken, and only when nobody "
        "uses it"
    )
