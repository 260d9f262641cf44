"""Free and total space of a folder, on a disk or in memory."""

import os
from pathlib import Path

# Share of the tmpfs, or of the memory if that is smaller, for the page cache and the tools.
REQUIRED_FREE = 0.25


def required_free(folder: Path) -> int:
    """Bytes below `folder` that a library must leave free: a share of the memory for a folder in memory, else 0."""
    return int(capacity(folder)[1] * REQUIRED_FREE) if in_memory(folder) else 0


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
    """(free, total) bytes below `folder`; in a tmpfs no more than the available memory."""
    stat = os.statvfs(folder)
    free, whole = stat.f_bavail * stat.f_frsize, stat.f_blocks * stat.f_frsize
    if not in_memory(folder):
        return free, whole
    memory = _memory()
    return min(free, memory["MemAvailable"]), min(whole, memory["MemTotal"])


def _memory() -> dict[str, int]:
    """/proc/meminfo in bytes."""
    rows = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    return {row[0].rstrip(":"): int(row[1]) * 1024 for row in rows}
