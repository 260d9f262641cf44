"""A control group that limits the memory of this process and of the commands that it starts, page cache included.

Study 001 booted its machine with 1,000 MB so that libraries were larger than the page cache. A control group does the
same on any machine: files that its commands read or write count against the limit, and the kernel writes them out or
forgets them beyond it. Version 1 (`memory.limit_in_bytes`) where it is mounted, else version 2 (`memory.max`).
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core import private_files
from spindlemark.core.outcome import Unsupported
from spindlemark.testbeds import kernel

_PREFIX = "memory-group-"
_LONGEST_SECONDS = 2.0  # that the kernel takes to forget a process that ended


@dataclass(frozen=True)
class _Hierarchy:
    """Where groups are made, the group of this process, and the file with the limit of a group."""

    place: Path
    own: Path
    limit: str


@contextmanager
def limited(limit: int) -> Iterator[int]:
    """Limit this process and its commands to `limit` bytes of memory; yields the version of control groups.

    Raises Unsupported where this machine lets no process limit its memory.
    """
    found = _hierarchy()
    group = found.place / f"spindlemark-memory-{os.getpid()}"
    private_files.folder(private_files.RUN)
    private_files.write_note(_note(), {str(group): True})
    try:
        try:
            group.mkdir(exist_ok=True)
            (group / found.limit).write_text(str(limit))
            (group / "cgroup.procs").write_text(str(os.getpid()))
        except OSError as error:
            raise Unsupported(f"no control group can limit memory here: {group}: {error.strerror}") from None
        yield 1 if found.limit == "memory.limit_in_bytes" else 2
    finally:
        with suppress(OSError):
            (found.own / "cgroup.procs").write_text(str(os.getpid()))
        _remove(group)
        private_files.remove_note(_note())


def remove_leftovers() -> None:
    """Remove the groups of programs that were killed; the caller holds the machine's lock."""
    for note in private_files.RUN.glob(f"{_PREFIX}[0-9]*.json"):
        if not Path("/proc", note.stem.removeprefix(_PREFIX)).exists():
            for group in private_files.read_note(note.stem):
                _remove(Path(group))
            private_files.remove_note(note.stem)


def _note() -> str:
    return f"{_PREFIX}{os.getpid()}"


def _hierarchy() -> _Hierarchy:
    mounts = kernel.mounts()
    lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    for mount in mounts:
        if mount.filesystem == "cgroup" and "memory" in mount.options.split(","):
            path = next((path for _, names, path in lines if "memory" in names.split(",")), "/")
            own = _existing(mount.point, path)
            return _Hierarchy(own, own, "memory.limit_in_bytes")
    for mount in mounts:
        if mount.filesystem == "cgroup2":
            # Next to the groups of services, because a group with processes cannot pass on a limit.
            with suppress(OSError):
                (mount.point / "cgroup.subtree_control").write_text("+memory")
            path = next((path for _, names, path in lines if not names), "/")
            return _Hierarchy(mount.point, _existing(mount.point, path), "memory.max")
    raise Unsupported("this kernel has no control groups for memory")


def _existing(root: Path, path: str) -> Path:
    """The group of this process; the root where a container hides it."""
    own = root / path.lstrip("/")
    return own if own.is_dir() else root


def _remove(group: Path) -> None:
    give_up = time.monotonic() + _LONGEST_SECONDS
    while group.exists():
        with suppress(OSError):
            group.rmdir()
            return
        if time.monotonic() > give_up:
            return
        time.sleep(0.01)
