"""Testbeds: where it is measured. Each kind is one module with `opened`, `clean`, `device_facts` and `TOOLS`.

A kind that measures on another computer than this one has `computer`, which describes it, and `measured` and `tried`,
which have a repetition measured and the testbed tried there. One that keeps something between repetitions has `settle`
for what is done after each. One whose image takes memory is IN_MEMORY: what a repetition keeps there comes first, so
that the image finds free what is left.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.process.command import execute
from spindlemark.core.process.programs import find
from spindlemark.testbeds import host

_LIMIT_SECONDS = 30


def kind(testbed: config.Testbed) -> ModuleType:
    """The module of a testbed's kind."""
    return import_module(f"spindlemark.testbeds.{testbed.kind}")


class Unusable(UserError):
    """A testbed that cannot be opened as it is declared: no repetition on it could be measured now."""


@dataclass(frozen=True)
class Computer:
    """What measurements run on: kernel release (None where there is none), facts, and which modules its kernel has."""

    kernel: str | None
    facts: dict[str, Any]
    has: Callable[[str], bool]


def settle(name: str, testbed: config.Testbed) -> None:
    """Take away what a repetition left on a testbed, before and after each; the caller holds its lock."""
    module = kind(testbed)
    getattr(module, "settle", module.clean)(name, testbed)


def fingerprint(
    testbed_name: str,
    testbed: config.Testbed,
    image_bytes: int,
    tools: Mapping[str, tuple[str, ...]],
    modules: Sequence[str],
) -> dict[str, Any]:
    """What may change a number: kernel, the machine itself, CPU, device, versions of `tools`.

    A tool that is not here has version null; one of the kernel's `modules` that it does not have adds a null entry, so
    that installing either gives a new identity. Quick: what is here is found out once per process.
    """
    versions = {package: _version(argv) for package, argv in tools.items()}
    computer = getattr(kind(testbed), "computer", _this)(testbed)
    versions |= {f"kernel module {module}": None for module in modules if not computer.has(module)}
    return {
        "kernel": computer.kernel,
        "host": host.identity(),
        "machine": computer.facts,
        "tools": versions,
        "default_scheduler": testbed.scheduler,
        "device": _device(testbed, image_bytes),
    }


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


def _this(testbed: config.Testbed) -> Computer:
    return Computer(os.uname().release, {"cpu": cpu_model(), "cpus": os.cpu_count()}, kernel_has)


@cache
def cpu_model() -> str:
    """The processor's name as the kernel gives it."""
    info = Path("/proc/cpuinfo").read_text()
    for key in ("model name", "Model", "cpu model", "uarch", "CPU part"):
        found = re.search(rf"^{key}\s*:\s*(.+)$", info, re.MULTILINE)
        if found:
            return found[1].strip()
    return os.uname().machine


@cache
def _version(argv: tuple[str, ...]) -> str | None:
    """The first thing in a tool's answer that looks like a version; null where there is no such tool, or no answer."""
    if not find(argv[0]):
        return None
    finished = execute(argv, _LIMIT_SECONDS)
    found = re.search(r"\d+(\.\d+)+[\w.+~-]*", finished.stdout + finished.stderr)
    return found[0] if found else None


def forget_versions() -> None:
    """For whoever has fetched or built a tool: that it was missing, or had no answer, is no longer true."""
    _version.cache_clear()


@cache
def _device(testbed: config.Testbed, image_bytes: int) -> dict[str, Any]:
    return kind(testbed).device_facts(testbed, image_bytes)


@cache
def _filesystems() -> frozenset[str]:
    return _registered()


def _registered() -> frozenset[str]:
    return frozenset(line.split()[-1] for line in Path("/proc/filesystems").read_text().splitlines())


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []
