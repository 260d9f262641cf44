"""Find processes that have a device open for writing without a claim that the kernel reports, such as dd or an emulator."""

import os
import re
import stat
import time
from collections.abc import Collection
from pathlib import Path

_PROC = Path("/proc")
_SECONDS = 1  # monitors such as smartd have a disk open for a moment, and so has a command that was just killed


def find(numbers: Collection[int]) -> str | None:
    """Name a process that has one of the block devices `numbers` (st_rdev) open for writing, such as "process 12 (dd)".

    This process and its children do not count, nor do processes that end meanwhile or whose files even root cannot see
    (those outside a container).
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
            # The name before it, in parentheses, may contain any characters.
            process = int((_PROC / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            return False
    return process == os.getpid()


def _name(process: int) -> str:
    """The process's name, without characters that a terminal would interpret."""
    try:
        return re.sub(r"[^\w.+:@-]", "?", (_PROC / str(process) / "comm").read_text(errors="replace").rstrip("\n"))
    except OSError:
        return "ended meanwhile"
