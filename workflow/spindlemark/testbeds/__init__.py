"""Testbeds: where it is measured. Each kind is one module with `opened`, `clean`, `device_facts` and `TOOLS`."""

import os
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from spindlemark import declare
from spindlemark.measure.command import execute
from spindlemark.tools import find

_COREUTILS = ("cp", "--version")
_LIMIT_SECONDS = 30


def kind(testbed: declare.Testbed) -> ModuleType:
    """The module of a testbed's kind."""
    return import_module(f"spindlemark.testbeds.{testbed.kind}")


def fingerprint(testbed_name: str, testbed: declare.Testbed, image_bytes: int,
                filesystem: declare.Filesystem) -> dict[str, Any]:
    """What of this machine may change a number: kernel, CPU, tools of this filesystem, device.

    A tool that is not here has version null; a filesystem that the kernel does not have adds a null entry, so that
    installing either gives a new identity. Quick: everything is found out once per process.
    """
    tools = {filesystem.package: _version(tuple(filesystem.version)), "coreutils": _version(_COREUTILS)}
    if not kernel_has(filesystem.module):
        tools[f"kernel module {filesystem.module}"] = None
    return {"kernel": os.uname().release, "machine": {"cpu": cpu_model(), "cpus": os.cpu_count()}, "tools": tools,
            "device": _device(testbed_name, testbed.model_dump_json(), image_bytes)}


def kernel_has(filesystem: str) -> bool:
    """Whether this kernel has the filesystem, built in or as a module that can be loaded."""
    return filesystem in _filesystems() or filesystem in _modules()


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
    """The first thing in a tool's answer that looks like a version; null where there is no such tool."""
    if find(argv[0]) is None:
        return None
    finished = execute(argv, _LIMIT_SECONDS)
    found = re.search(r"\d+(\.\d+)+[\w.+~-]*", finished.stdout + finished.stderr)
    return found[0] if found else None


@cache
def _device(testbed_name: str, testbed: str, image_bytes: int) -> dict[str, Any]:
    declared = declare.Testbed.model_validate_json(testbed)
    return kind(declared).device_facts(declared, image_bytes)


@cache
def _filesystems() -> frozenset[str]:
    return frozenset(line.split()[-1] for line in Path("/proc/filesystems").read_text().splitlines())


@cache
def _modules() -> frozenset[str]:
    folder = Path("/lib/modules") / os.uname().release
    lines = [line for name in ("modules.dep", "modules.builtin") if (folder / name).exists()
             for line in (folder / name).read_text().splitlines()]
    return frozenset(Path(line.split(":")[0]).name.split(".")[0] for line in lines)
