"""The fingerprint of a testbed: all its properties that may change a number."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from spindlemark import config
from spindlemark.core import host
from spindlemark.core.process.command import execute
from spindlemark.core.process.programs import find
from spindlemark.testbeds import kind

_LIMIT_SECONDS = 30


def of(
    testbed_name: str,
    testbed: config.Testbed,
    image_bytes: int,
    tools: Mapping[str, tuple[str, ...]],
    modules: Sequence[str],
) -> dict[str, Any]:
    """Return kernel, machine, CPU, device and the versions of `tools`.

    A missing tool has the version null, and a missing kernel module adds a null entry, so installing either gives a new
    identity. Versions are read once per process.
    """
    versions = {package: _version(argv) for package, argv in tools.items()}
    computer = kind.of(testbed).computer(testbed)
    versions |= {f"kernel module {module}": None for module in modules if not computer.has(module)}
    return {
        "kernel": computer.kernel,
        "host": host.identity(),
        "machine": computer.facts,
        "tools": versions,
        "default_scheduler": testbed.scheduler,
        "device": _device(testbed, image_bytes),
    }


def forget_versions() -> None:
    """Read all versions again, after a tool was fetched or built."""
    _version.cache_clear()


@cache
def _version(argv: tuple[str, ...]) -> str | None:
    """The first version number in a tool's output; None for a missing tool, or without such a number."""
    if not find(argv[0]):
        return None
    finished = execute(argv, _LIMIT_SECONDS)
    found = re.search(r"\d+(\.\d+)+[\w.+~-]*", finished.stdout + finished.stderr)
    return found[0] if found else None


@cache
def _device(testbed: config.Testbed, image_bytes: int) -> dict[str, Any]:
    return kind.of(testbed).device_facts(testbed, image_bytes)
