"""Notes of the labels that were written on this machine, and on which disk, so that copies on other disks are refused.

One file per label, named by the label's number, in a folder that only root can read. A disk with a world-wide name is
recognised by that name. A disk without one has only a serial number, which others may have too: it is recognised as
long as it stays connected, by the number that the kernel gives to each disk that appears.
"""

import os
import uuid
from pathlib import Path

from spindlemark.core import private_files
from spindlemark.core.errors import UserError
from spindlemark.testbeds import disk

FOLDER = private_files.STATE / "labels"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def note(number: str, name: str) -> None:
    """Write a note that the disk `name` has the label `number`, and sync it. Raises UserError when this fails."""
    partial = f".{number}.partial"
    try:
        private_files.folder(private_files.STATE)
        with private_files.opened(private_files.folder(FOLDER, 0o700)) as folder:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(partial, flags, 0o600, dir_fd=folder), "w") as file:
                file.write(_identity(name))
                file.flush()
                os.fsync(file.fileno())
            os.rename(partial, number, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
    except OSError as error:
        raise UserError(
            f"{FOLDER}: cannot store which disk gets a label: {error.strerror}; nothing was written to the disk",
            "make it writable for root, with some free space",
        ) from None


def problem(number: str, name: str) -> str | None:
    """Say why the label `number` on the disk `name` may be a copy; None when it was written on that disk, here."""
    if not FOLDER.is_dir():
        return _unknown()
    try:
        # The number was read from the disk, so it must not be able to form another path.
        canonical = str(uuid.UUID(number))
        with (
            private_files.opened(FOLDER) as folder,
            os.fdopen(os.open(canonical, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)) as file,
        ):
            kept = file.read()
    except (ValueError, OSError):
        return _unknown()
    if kept == _identity(name):
        return None
    return "its label was written on another disk, or before it was disconnected and connected again"


def _unknown() -> str:
    return "its label is not known on this machine: it may be a copy from another disk, or older than this rule"


def _identity(name: str) -> str:
    """Text that distinguishes the disk from others with its serial number."""
    found = disk.world_wide_name(name)
    return f"{found}\n" if found else f"{_BOOT.read_text().strip()} {disk.attribute(name, 'diskseq')}\n"
