"""A device that somebody wants to write to, as it looked before any check, and how it was named and declared."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.testbeds import disk, kernel


@dataclass(frozen=True)
class Expected:
    """What the user declared about a disk. Sizes are bytes."""

    link: Path  # its name in /dev/disk/by-id
    serial: str
    model: str | None  # None for a disk that reports none
    size: int
    erase: str  # the serial, typed a second time


@dataclass(frozen=True)
class Candidate:
    """A device as it looks now. Two looks at the same device are equal as long as nothing was changed or exchanged."""

    path: Path  # where a link led to
    number: int  # st_rdev
    mode: int
    testbed: str
    target: str | None = None  # what the link says, None where the device was not named by one
    sequence: int | None = None  # the kernel counts disks as they appear: another disk has another number
    expected: Expected | None = None

    @property
    def name(self) -> str:
        """The kernel's name in sysfs, as loop3 or sda."""
        return kernel.block_name(self.number) or "unknown"

    @property
    def node(self) -> Path:
        """The kernel's own node of the device, wherever the one that was looked at lies."""
        return disk.node_of(self.name)

    @property
    def sysfs(self) -> Path:
        """The folder of the device in sysfs."""
        return disk.sysfs_of(self.name)

    @property
    def declared(self) -> Expected:
        """What was declared; checks of disks are never asked about a device without it."""
        if self.expected is None:
            raise TypeError(f"{self.path} was looked at without a declaration")
        return self.expected


Check = Callable[[Candidate], str | None]


def look(path: Path, testbed: str, expected: Expected | None = None) -> Candidate:
    """Look at the node `path`, or through a link of the declared disk, without opening anything.

    Only one link is followed: what it leads to must be the device itself. Raises UserError where there is nothing.
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
    return Candidate(Path(path), found.st_rdev, found.st_mode, testbed, target, sequence, expected)
