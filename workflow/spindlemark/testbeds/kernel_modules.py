"""Filesystems and modules that a kernel has."""

import os
from functools import cache
from pathlib import Path

from spindlemark.core.process.command import execute
from spindlemark.core.process.programs import find

_LIMIT_SECONDS = 30


def kernel_has(filesystem: str) -> bool:
    """Whether this kernel has the filesystem, built in or as a module that can be loaded."""
    return filesystem in _filesystems() or filesystem in modules(Path("/lib/modules") / os.uname().release)


def loads(filesystem: str) -> bool:
    """Whether the kernel has the filesystem now, or once it was told to load it."""
    if filesystem not in _registered() and find("modprobe"):
        execute(["modprobe", "--quiet", filesystem], _LIMIT_SECONDS)
    return filesystem in _registered()


def loads_module(name: str) -> bool:
    """Whether a module of the kernel that was not loaded is so now."""
    return find("modprobe") is not None and execute(["modprobe", "--quiet", name], _LIMIT_SECONDS).exit_code == 0


@cache
def modules(folder: Path) -> frozenset[str]:
    """What a kernel with these modules has, built in or to be loaded; filesystems also by their other names (ext3)."""
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
