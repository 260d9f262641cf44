"""Filesystems and modules of a kernel."""

import os
from functools import cache
from pathlib import Path

from spindlemark.core.process import apt
from spindlemark.core.process.command import execute
from spindlemark.core.process.programs import find

_LIMIT_SECONDS = 120


def kernel_has(filesystem: str) -> bool:
    """Whether this kernel has the filesystem, built in or as a loadable module."""
    return filesystem in _filesystems() or filesystem in modules(Path("/lib/modules") / os.uname().release)


def loads(filesystem: str) -> bool:
    """Whether the kernel has the filesystem after an attempt to load it."""
    if filesystem not in _registered() and find("modprobe"):
        execute(["modprobe", "--quiet", filesystem], _LIMIT_SECONDS)
    return filesystem in _registered()


def loads_module(name: str) -> bool:
    """Load a module of the kernel; return whether it is loaded."""
    return find("modprobe") is not None and execute(["modprobe", "--quiet", name], _LIMIT_SECONDS).exit_code == 0


def write_lists(base: Path, release: str) -> None:
    """Write the lists of the modules that are unpacked below `base`; raises Unsupported if that fails."""
    apt.run(["depmod", "--basedir", str(base), release], f"the modules of {release} cannot be listed", _LIMIT_SECONDS)
    modules.cache_clear()


@cache
def modules(folder: Path) -> frozenset[str]:
    """Names of the modules in a kernel's folder, built in or loadable, with the alias names of filesystems (ext3)."""
    lines = [line for name in ("modules.dep", "modules.builtin") for line in _lines(folder / name)]
    aliases = [line.split()[1] for line in _lines(folder / "modules.alias") if line.startswith("alias fs-")]
    return frozenset(
        {
            *(Path(line.split(":")[0]).name.split(".")[0] for line in lines),
            *(alias.removeprefix("fs-") for alias in aliases),
        }
    )


@cache
def _filesystems() -> frozenset[str]:
    return _registered()


def _registered() -> frozenset[str]:
    return frozenset(line.split()[-1] for line in Path("/proc/filesystems").read_text().splitlines())


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []
