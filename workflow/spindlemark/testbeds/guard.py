"""The guard: which block devices may be formatted. Every destructive command goes through `claim`.

A check looks and never writes; it returns what speaks against the device, or None. Kinds of testbeds combine checks:
LOOP is the list for loop devices on our own files. Order matters: the device is opened (read-only, exclusively) only
after everything that can be known without opening it.
"""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spindlemark.errors import UserError
from spindlemark.testbeds import image, kernel


@dataclass(frozen=True)
class Candidate:
    """A device that somebody wants to write to, as it looked before any check."""

    path: Path
    number: int  # st_rdev
    mode: int
    testbed: str

    @property
    def name(self) -> str:
        return (kernel.block_name(self.number) or "unknown").replace("!", "/")

    @property
    def sysfs(self) -> Path:
        return Path("/sys/class/block") / self.name


Check = Callable[[Candidate], str | None]


def is_block_device(device: Candidate) -> str | None:
    """A real device node at its own place, neither a link nor a file."""
    if stat.S_ISLNK(device.mode):
        return "it is a symbolic link"
    if not stat.S_ISBLK(device.mode):
        return "it is not a block device"
    if device.path != Path("/dev") / device.name:
        return f"it is not the kernel's own node, which is /dev/{device.name}"
    return None


def is_whole_device(device: Candidate) -> str | None:
    """Neither a partition nor a device with partitions."""
    if (device.sysfs / "partition").exists():
        return "it is a partition"
    if any(device.sysfs.glob("*/partition")):
        return "it has partitions"
    return None


def is_loop(device: Candidate) -> str | None:
    """A loop device that is attached to a whole file."""
    if os.major(device.number) != kernel.LOOP_MAJOR:
        return "it is not a loop device"
    loop = kernel.loop_of(device.name)
    if loop is None:
        return "no file is attached to it"
    if loop.offset or loop.size_limit:
        return "it shows only a part of its file"
    return None


def backing_file_is_ours(device: Candidate) -> str | None:
    """The file behind the loop device was made by this program for this testbed, and is still in its place."""
    loop = kernel.loop_of(device.name)
    if loop is None or loop.deleted:
        return "its backing file is gone"
    return image.complaint(loop.backing, device.testbed, loop.inode)


def is_attached_once(device: Candidate) -> str | None:
    """No second loop device writes to the same file."""
    loops = kernel.loops()
    own = next((loop for loop in loops if loop.name == device.name), None)
    if own is None:
        return "no file is attached to it"
    others = [loop.name for loop in loops if loop != own and (loop.device, loop.inode) == (own.device, own.inode)]
    return f"its backing file is attached to {', '.join(others)} too" if others else None


def is_not_mounted(device: Candidate) -> str | None:
    """Mounted nowhere, also not in another mount namespace."""
    number = f"{os.major(device.number)}:{os.minor(device.number)}"
    for mount in kernel.mounts_everywhere():
        if mount.number == number or mount.source == str(device.path):
            return f"it is mounted on {mount.point}"
    return None


def is_not_swap(device: Candidate) -> str | None:
    return "it is swap" if str(device.path) in kernel.swaps() else None


def has_no_holders(device: Candidate) -> str | None:
    """No device mapper, RAID or cache device stands on it."""
    holders = [entry.name for entry in device.sysfs.glob("holders/*")]
    return f"{', '.join(holders)} stands on it" if holders else None


def opens_exclusively(device: Candidate) -> str | None:
    """The kernel grants an exclusive claim: nobody has mounted, swapped on or otherwise claimed it."""
    try:
        descriptor = os.open(device.path, os.O_RDONLY | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        return f"the kernel does not grant an exclusive claim: {error.strerror}"
    os.close(descriptor)
    return None


LOOP: tuple[Check, ...] = (is_block_device, is_whole_device, is_loop, backing_file_is_ours, is_attached_once,
                           is_not_mounted, is_not_swap, has_no_holders, opens_exclusively)


@contextmanager
def claim(path: Path, testbed: str, checks: Sequence[Check] = LOOP) -> Iterator[str]:
    """Check the device and yield the node to give to a destructive command that runs at once.

    The device stays open (read-only, not exclusively, so that mkfs can claim it) as long as the context lasts: a loop
    device cannot be attached to another file while it is open. Raises UserError naming the check that failed.
    """
    device = _look(path, testbed)
    _require(device, checks)
    descriptor = os.open(device.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        # From here on the attachment cannot change; look once more at what could change before.
        if os.fstat(descriptor).st_rdev != device.number or _look(path, testbed) != device:
            raise refusal(device, "same device", "it changed while it was checked")
        _require(device, checks)
        yield str(device.path)
    finally:
        os.close(descriptor)


def refusal(device: Candidate, check: str, reason: str) -> UserError:
    """The error of a device that is not touched."""
    return UserError(f"{device.path}: refused by the check {check.replace('_', ' ')}: {reason}; nothing was written",
                     "only devices that this program made are formatted; remove what is named, then run again")


def _require(device: Candidate, checks: Sequence[Check]) -> None:
    for check in checks:
        reason = check(device)
        if reason is not None:
            raise refusal(device, check.__name__, reason)


def _look(path: Path, testbed: str) -> Candidate:
    try:
        found = os.lstat(path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", "name a device that exists") from None
    return Candidate(Path(path), found.st_rdev, found.st_mode, testbed)
