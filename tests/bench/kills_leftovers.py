"""What is left of measurements in a clone and on the machine, by kind. Reads only, and starts no program.

Everything that was there in the beginning is left out by the caller. What belongs to the machine as a whole (see
`SHARED`) counts whoever made it: nothing else may measure at the same time.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from kills_processes import below
from spindlemark.core.paths import folder_name
from spindlemark.core.private_files import RUN, STATE
from spindlemark.testbeds import memory

_TEMPORARY = re.compile(r".*\.(part|partial|tmp|temp|img)(\..*)?$|^\.tmp|^tmp.{8}$")
_GROUPS = Path("/sys/fs/cgroup")
_NOT_LOOKED_AT = {".git", ".venv"}
_LOOP_MAJOR = "7"
SHARED = ("network namespace", "interface", "control group", "setting", "state")


class Left(NamedTuple):
    """One thing that is left."""

    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


def survey(root: Path, temporary: Path) -> set[Left]:
    """Everything of any kind that concerns the clone in `root`; `temporary` is the TMPDIR of its commands."""
    found = {
        "process": _processes(),
        "loop device": _loops(root),
        "mount": _mounts(root),
        "network namespace": _namespaces(),
        "interface": os.listdir("/sys/class/net"),
        "control group": map(str, _GROUPS.rglob("spindlemark-*")),
        "setting": _settings(),
        "note": (str(path) for path in RUN.rglob("*") if path.name != "machine.lock"),
        "state": (str(path) for pattern in ("*", "*/*") for path in STATE.glob(pattern)),
        "memory": (str(path) for path in Path("/dev/shm").glob(f"{folder_name(root)}*")),
        "temporary file": [*_temporary(root), *map(str, temporary.iterdir())],
        "file of root": _of_root(root),
    }
    return {Left(kind, what) for kind, each in found.items() for what in each}


def _processes() -> Iterator[str]:
    for pid, process in below(os.getpid()).items():
        yield f"{pid} {' '.join(process.words)[:200]}"


def _loops(root: Path) -> Iterator[str]:
    """Loop devices on a file in the clone or in its memory, deleted or not."""
    for file in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):  # it was detached meanwhile
            backing = file.read_text().strip()
            if str(root) in backing or folder_name(root) in backing:
                yield f"{file.parts[3]} {backing}"


def _mounts(root: Path) -> Iterator[str]:
    """Mounts below the clone, among root's notes or of a device of the clone, in any namespace; and all of FUSE."""
    nodes = {f"/dev/{each.split()[0]}" for each in _loops(root)}
    seen = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (namespace := (process / "ns/mnt").readlink()) in seen:
                continue
            lines = (process / "mountinfo").read_text().splitlines()
            seen.add(namespace)
            for line in lines:
                before, _, after = line.partition(" - ")
                point, (filesystem, source) = before.split()[4], after.split()[:2]
                ours = point.startswith((f"{root}/", f"{RUN}/")) or source in nodes
                if ours or filesystem.startswith("fuse"):
                    yield f"{point} {filesystem} {source}"


def _namespaces() -> set[str]:
    """Those of a process, or with a name anywhere."""
    found = set(map(str, Path("/run/netns").glob("*")))
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found.add(str((process / "ns/net").readlink()))
            found |= {word for word in (process / "mountinfo").read_text().split() if word.startswith("net:[")}
    return found


def _settings() -> Iterator[str]:
    """Limits of loop devices in the root groups, and what memory.py changes."""
    for file in (*_GROUPS.glob("blkio.throttle.*_device"), *_GROUPS.glob("*/blkio.throttle.*_device")):
        for line in file.read_text().splitlines():
            if line.startswith(f"{_LOOP_MAJOR}:"):
                yield f"{file} {line}"
    with suppress(OSError):
        yield f"{memory.ORDER} {memory.ORDER.read_text().strip()}"


def _temporary(root: Path) -> Iterator[str]:
    """Files that are written under another name first, the current measurement, and folders of single runs."""
    for path in _files(root):
        if _TEMPORARY.match(path.name):
            yield str(path)
    build = root / "data" / "build"
    for path in (build / "running.json", *build.glob("runs/*"), *(root / ".snakemake" / "locks").glob("*")):
        if path.exists():
            yield str(path)


def _of_root(root: Path) -> Iterator[str]:
    """What does not belong to the owner of the clone."""
    owner = root.stat().st_uid
    for path in _files(root):
        with suppress(OSError):
            if path.lstat().st_uid != owner:
                yield str(path)


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if Path(folder) != root or name not in _NOT_LOOKED_AT]
        yield from (Path(folder, name) for name in (*folders, *files))
