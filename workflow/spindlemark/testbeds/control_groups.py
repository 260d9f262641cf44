"""Control groups of processes that run next to a measurement: their processor time, and how to end all of them.

Version 1 (`cpuacct`) where it is mounted, else version 2, whose groups count processor time without any controller. A
group is inside that of this process, so limits of the outer group apply to it too.
"""

import os
import pwd
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from spindlemark.core import private_files
from spindlemark.core.process import usage
from spindlemark.testbeds import kernel

_TICK = os.sysconf("SC_CLK_TCK")
_LONGEST_SECONDS = 60.0
_numbers = count(1)


def make(note: str) -> Path | None:
    """Create a group, after keeping its name under `note`; None where this machine allows no group."""
    parent = _parent()
    if parent is None:
        return None
    group = parent / f"spindlemark-{os.getpid()}-{next(_numbers)}"
    private_files.folder(private_files.RUN)
    private_files.write_note(note, {str(group): True} | private_files.read_note(note))
    try:
        group.mkdir(exist_ok=True)
    except OSError:
        return None
    return group


def joining(group: Path | None) -> list[str]:
    """Return the command prefix that puts the command into the group before it starts, with all that it starts later."""
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', f"{group}/cgroup.procs"] if group else []


def seconds(group: Path | None, leader: int) -> float:
    """Processor seconds of the group so far; without a group, those of the process group of `leader`, in ticks of 10 ms."""
    reported = usage.seconds(group) if group else None
    return sum(sum(map(int, fields[11:15])) / _TICK for _, fields in _led(leader)) if reported is None else reported


def members(group: Path | None, leader: int) -> list[int]:
    """Processes of the group; without a group, those of the process group of `leader`."""
    return _members(group) if group else [pid for pid, _ in _led(leader)]


def kill(group: Path | None) -> None:
    """Kill all members, also those that start meanwhile."""
    give_up = time.monotonic() + _LONGEST_SECONDS
    while (found := _members(group)) and time.monotonic() < give_up:
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def remove(group: Path | None) -> None:
    """Remove an empty group; a member that is just ending delays this for a moment."""
    give_up = time.monotonic() + 1.0
    while group and group.exists() and time.monotonic() < give_up:
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.005)


def end_noted(note: str) -> None:
    """Kill and remove the groups that are kept under `note`, and the note."""
    for name in private_files.read_note(note):
        kill(Path(name))
        remove(Path(name))
    private_files.remove_note(note)


def of_user(user: str) -> int:
    """The number of a user's own group; raises KeyError for an unknown user."""
    return pwd.getpwnam(user).pw_gid


def _members(group: Path | None) -> list[int]:
    if group is None:
        return []
    try:
        found = [int(line) for line in (group / "cgroup.procs").read_text().split()]
    except OSError:
        return []
    # Zombies need no signal; 0 is a process in a PID namespace that is not visible here.
    return [pid for pid in found if pid and not _has_ended(pid)]


def _has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def _parent() -> Path | None:
    """The group of this process in the hierarchy that counts processor time; the root where a container hides it."""
    mounts = {
        mount.filesystem: mount
        for mount in kernel.mounts()
        if mount.filesystem == "cgroup2" or "cpuacct" in mount.options.split(",")
    }
    mount = mounts.get("cgroup") or mounts.get("cgroup2")
    if mount is None:
        return None
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if ("cpuacct" in names.split(",")) if mount.filesystem == "cgroup" else not names:
            own = mount.point / path.lstrip("/")
            return own if own.is_dir() else mount.point
    return mount.point


def _led(leader: int) -> Iterator[tuple[int, list[bytes]]]:
    """Yield number and statistics (the fields after the name) of each process of a process group."""
    for process in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = process.read_bytes().rpartition(b")")[2].split()
            if int(fields[2]) == leader:
                yield int(process.parent.name), fields
