"""A device as it is before any check, with the name and the declaration that led to it."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import disk, kernel


@dataclass(frozen=True)
class Expected:
    """A disk as the user declared it. Sizes are bytes."""

    link: Path  # its name in /dev/disk/by-id
    serial: str
    model: str | None  # None for a disk that reports none
    size: int
    erase: str  # the serial, typed a second time


@dataclass(frozen=True)
class InspectedDevice:
    """A device as it is now. Two inspections are equal as long as the device was not changed or replaced."""

    path: Path  # the target of a link
    number: int  # st_rdev
    mode: int
    testbed: str
    target: str | None = None  # the text of the link, None where the device was not named by one
    sequence: int | None = None  # the kernel numbers disks as they appear, so another disk has another number
    expected: Expected | None = None

    @property
    def name(self) -> str:
        """The kernel's name in sysfs, such as loop3 or sda."""
        return kernel.block_name(self.number) or "unknown"

    @property
    def node(self) -> Path:
        """The kernel's own node of the device, which may differ from `path`."""
        return disk.node_of(self.name)

    @property
    def sysfs(self) -> Path:
        """The folder of the device in sysfs."""
        return disk.sysfs_of(self.name)

    @property
    def declared(self) -> Expected:
        """The declaration, which checks of disks need. Raises TypeError where there is none."""
        if self.expected is None:
            raise TypeError(f"{self.path} was inspected without a declaration")
        return self.expected


Check = Callable[[InspectedDevice], str | None]


def inspect(path: Path, testbed: str, expected: Expected | None = None) -> InspectedDevice:
    """Inspect the node `path`, or the target of a declared disk's link, without opening it.

    Only one link is followed: its target must be the device itself. Raises UserError where nothing exists.
    """
    target = None
    try:
        found = os.lstat(path)
        if expected is not None and stat.S_ISLNK(found.st_mode):
            target = str(path.readlink())
            path = Path(os.path.normpath(path.parent / target))
            found = os.lstat(path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", "name a device that exists") from None
    sequence = disk.sequence(found.st_rdev) if stat.S_ISBLK(found.st_mode) else None
    return InspectedDevice(Path(path), found.st_rdev, found.st_mode, testbed, target, sequence, expected)
