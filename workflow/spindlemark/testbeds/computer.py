"""The computer that measurements run on."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from spindlemark.testbeds.kernel_modules import kernel_has


@dataclass(frozen=True)
class Computer:
    """A computer: kernel release (None where it is not known), facts, and which modules its kernel has."""

    kernel: str | None
    facts: dict[str, Any]
    has: Callable[[str], bool]


def this_computer(_: Any) -> Computer:
    """The computer that this program runs on."""
    return Computer(os.uname().release, {"cpu": cpu_model(), "cpus": os.cpu_count()}, kernel_has)


@cache
def cpu_model() -> str:
    """The processor's name as the kernel reports it."""
    info = Path("/proc/cpuinfo").read_text()
    for key in ("model name", "Model", "cpu model", "uarch", "CPU part"):
        found = re.search(rf"^{key}\s*:\s*(.+)$", info, re.MULTILINE)
        if found:
            return found[1].strip()
    return os.uname().machine
