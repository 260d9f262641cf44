"""Who has a device open for writing without a claim that the kernel would tell of: as dd, a database or an emulator."""

import os
import re
import stat
import time
from collections.abc import Collection
from pathlib import Path

_PROC = Path("/proc")
_SECONDS = 1  # what asks a disk how it is, as smartd, has it open for a moment, and so has a killed command


def of(numbers: Collection[int]) -> str | None:
    """A process that keeps one of the block devices `numbers` (as st_rdev) open for writing, as "process 12 (dd)".

    This process and those that it started do not count. A process that ends meanwhile, or whose files are not shown
    even to root (those outside of a container), is passed over.
    """
    give_up = time.monotonic() + _SECONDS
    while (found := _now(numbers)) is not None and time.monotonic() < give_up:
        time.sleep(0.05)
    return found


def _now(numbers: Collection[int]) -> str | None:
    for process in sorted(int(entry) for entry in os.listdir(_PROC) if entry.isdigit()):
        if _writes(process, numbers) and not _is_ours(process):
            return f"process {process} ({_name(process)})"
    return None


def _writes(process: int, numbers: Collection[int]) -> bool:
    folder = _PROC / str(process)
    try:
        opened = os.listdir(folder / "fd")
    except OSError:
        return False
    return any(_is_written(folder, descriptor, numbers) for descriptor in opened)


def _is_written(folder: Path, descriptor: str, numbers: Collection[int]) -> bool:
    try:
        found = (folder / "fd" / descriptor).stat()
        if not stat.S_ISBLK(found.st_mode) or found.st_rdev not in numbers:
            return False
        flags = re.search(r"^flags:\s*([0-7]+)$", (folder / "fdinfo" / descriptor).read_text(), re.MULTILINE)
    except OSError:
        return False
    return flags is None or int(flags[1], 8) & os.O_ACCMODE != os.O_RDONLY


def _is_ours(process: int) -> bool:
    while process > 1 and process != os.getpid():
        try:
            # The name before it, in parentheses, may hold anything.
            process = int((_PROC / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            return False
    return process == os.getpid()


def _name(process: int) -> str:
    """What the process calls itself, without what a terminal would take for commands."""
    try:
        return re.sub(r"[^\w.+:@-]", "?", (_PROC / str(process) / "comm").read_text(errors="replace").rstrip("\n"))
    except OSError:
        return "ended since"
