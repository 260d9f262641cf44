"""Testbed kind `processor`: only this machine's processors and memory, for families that need no device.

A family's files are in a private folder in memory, which is empty at the beginning of each repetition.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark.config import ProcessorTestbed
from spindlemark.core import paths, private_files
from spindlemark.core.record import Scalar
from spindlemark.testbeds import ram
from spindlemark.testbeds.device import Traffic
from spindlemark.testbeds.kind import Kind, Run, Settings

TOOLS: dict[str, str] = {}


@dataclass(frozen=True)
class WorkFolder:
    """A folder in memory to work in, and how many bytes it may take."""

    testbed: str
    folder: Path
    size: int

    def transferred(self) -> Traffic:
        """No traffic, since there is no device."""
        return Traffic()

    def counters(self) -> Mapping[str, Path]:
        """No counters for the load sampler."""
        return {}

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the folder and the processors."""
        return {"device.kind": "processor", "work.bytes": self.size, "cpu.usable": len(os.sched_getaffinity(0))}


@contextmanager
def opened(name: str, declared: ProcessorTestbed, size: int, settings: Settings, run: Run) -> Iterator[WorkFolder]:
    """Create an empty folder where memory has room for `size` bytes; `clean` removes it.

    Raises UserError for what the user can fix.
    """
    ram.require_room(name, Path(declared.memory), size, "work", "image_size there")
    folder = _folder(declared)
    shutil.rmtree(folder, ignore_errors=True)
    yield WorkFolder(name, private_files.folder(folder, 0o700), size)


def clean(name: str, declared: ProcessorTestbed) -> None:
    """Remove what this testbed left in memory; the caller holds its lock."""
    shutil.rmtree(_folder(declared), ignore_errors=True)


def device_facts(declared: ProcessorTestbed, size: int) -> dict[str, Any]:
    """The device part of the fingerprint, without a device."""
    return {"kind": "processor", "bytes": size}


def _folder(declared: ProcessorTestbed) -> Path:
    """A folder that is neither that of the libraries nor that of the images."""
    return Path(declared.memory) / f"{paths.folder_name()}-work"


KIND = Kind(tools=TOOLS, opened=opened, clean=clean, device_facts=device_facts)
