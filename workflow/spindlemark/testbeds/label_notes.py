"""The labels that were written on this machine, and on which disk: a copy on another disk is worth nothing.

One file per label, named by the label's number, in a folder that only root can look into. A disk with a world-wide name
is known again by it. One that tells none has nothing but a serial number, which others may tell too: it is known for as
long as it stays plugged in, by the number that the kernel gives to each disk that appears.
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
    """Keep that the label `number` is written on the disk `name`; it is on the machine's own disk when this returns.

    Raises UserError when it cannot be kept.
    """
    partial = f".{number}.partial"
    try:
        private_files.folder(private_files.STATE)
        with private_files.opened(private_files.folder(FOLDER, 0o700)) as folder:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(partial, flags, 0o600, dir_fd=folder), "w") as file:
                file.write(_told(name))
                file.flush()
                os.fsync(file.fileno())
            os.rename(partial, number, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
    except OSError as error:
        raise UserError(
            f"{FOLDER}: cannot keep which disk gets a label: {error.strerror}; nothing was written",
            "make it writable for root, with some free space",
        ) from None


def complaint(number: str, name: str) -> str | None:
    """Why the label `number` on the disk `name` may be a copy; None when it was written on that very disk here."""
    if not FOLDER.is_dir():
        return _unknown()
    try:
        # The number is what the disk says: it must not become a path to anywhere else.
        canonical = str(uuid.UUID(number))
        with (
            private_files.opened(FOLDER) as folder,
            os.fdopen(os.open(canonical, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)) as file,
        ):
            kept = file.read()
    except (ValueError, OSError):
        return _unknown()
    return None if kept == _told(name) else "its label was written on another disk, or before it was plugged in anew"


def _unknown() -> str:
    return "its label is not known on this machine: it may be a copy of another disk's, or older than this rule"


def _told(name: str) -> str:
    """What tells the disk from others with its serial number."""
    found = disk.world_wide_name(name)
    return f"{found}\n" if found else f"{_BOOT.read_text().strip()} {disk.attribute(name, 'diskseq')}\n"
