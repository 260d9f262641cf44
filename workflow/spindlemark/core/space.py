"""Room for a library: what it needs against what the folder's filesystem and the memory have."""

import os
from pathlib import Path
from typing import Any

from spindlemark.core.errors import UserError
from spindlemark.families.shared.media.file_sizes import sizes
from spindlemark.families.shared.media.library_factors import needed_inodes

# Of the tmpfs, or of the memory if it is smaller: for the page cache and the tools.
KEPT_FREE = 0.25


def needed_bytes(library: dict[str, Any], block: int = 4096) -> int:
    """Bytes that the library takes where space comes in blocks of `block` bytes, one block for each directory."""
    return int((-(-sizes(library) // block)).sum() + library["directories"]) * block


def kept_free(folder: Path) -> int:
    """Bytes below `folder` that must stay free beside a library: a share of the memory, where it lies in memory."""
    return int(capacity(folder)[1] * KEPT_FREE) if in_memory(folder) else 0


def in_memory(folder: Path) -> bool:
    """Whether the folder's filesystem keeps its files in memory."""
    device = folder.stat().st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, filesystem = line.partition(" - ")
        if fields.split()[2] == wanted:
            return filesystem.split()[0] in ("tmpfs", "ramfs")
    return False


def capacity(folder: Path) -> tuple[int, int]:
    """(free, whole) bytes below `folder`; in a tmpfs no more than the memory that the kernel can still give."""
    stat = os.statvfs(folder)
    free, whole = stat.f_bavail * stat.f_frsize, stat.f_blocks * stat.f_frsize
    if not in_memory(folder):
        return free, whole
    memory = _memory()
    return min(free, memory["MemAvailable"]), min(whole, memory["MemTotal"])


def require(library: dict[str, Any], folder: Path, kept: int = 0) -> None:
    """Raise UserError unless `folder` has room for the library and for `kept` bytes more."""
    stat = os.statvfs(folder)
    free, needed = capacity(folder)[0], needed_bytes(library, stat.f_frsize)
    if needed + kept > free:
        raise no_space(library, folder, needed, free, kept)
    inodes = needed_inodes(library)
    if stat.f_files and inodes > stat.f_favail:
        raise UserError(
            f"{folder}: library {library['name']} needs {inodes} inodes, {stat.f_favail} are free", _remedy(library)
        )


def no_space(library: dict[str, Any], folder: Path, needed: int, free: int, kept: int = 0) -> UserError:
    """The error that says what is short and where to change it."""
    spare = f" and {kept} must stay free" if kept else ""
    return UserError(
        f"{folder}: library {library['name']} needs {needed} bytes, {free} are free{spare}", _remedy(library)
    )


def _remedy(library: dict[str, Any]) -> str:
    return (
        f"free some, name another source_directory in config/testbeds/<name>.yaml, or lower files or size under "
        f"libraries.{library['name']} in config/profiles/<profile>.yaml"
    )


def _memory() -> dict[str, int]:
    """/proc/meminfo in bytes."""
    rows = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    return {row[0].rstrip(":"): int(row[1]) * 1024 for row in rows}
