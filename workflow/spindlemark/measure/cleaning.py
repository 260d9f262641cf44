"""Cleaning up: what measurements leave in memory, on disk and below /run, also those that were killed."""

import shutil
from pathlib import Path

from spindlemark import config
from spindlemark.core import ownership, paths, private_files, running
from spindlemark.core.process.lock import machine_lock
from spindlemark.core.record_store import remove_partials
from spindlemark.families.shared import media
from spindlemark.measure.preconditions import require_root
from spindlemark.testbeds import background, hosts, kind, memory, memory_group, mountpoint, namespaces

CLEAN_SECONDS = 120.0  # a clean-up waits so long for another measurement; the next one removes what it had to leave


def clean_all(within: float = CLEAN_SECONDS, keep_memory: bool = False) -> None:
    """Remove everything that measurements leave in memory and on disk when no repetition follows.

    With `keep_memory` free memory stays resident for further measurements of the same run.
    Raises UserError when another project measures for longer than `within` seconds: this limit is one for all testbeds.
    """
    require_root()
    with machine_lock(limit_seconds=within, purpose="cleaning up"):
        for name, declared in config.load().testbeds.items():
            if hosts.is_here(declared):
                _clean(name, declared)
        if not keep_memory:
            memory.restore()
    shutil.rmtree(paths.BUILD / "runs", ignore_errors=True)
    ownership.give_back()


def before_measuring(name: str, declared: config.Testbed) -> None:
    """Remove what a killed measurement left on the testbed, so that the next one can start; the caller holds the lock."""
    _end_leftovers()
    kind.settle(name, declared)
    _forget_crashed()


def _clean(name: str, declared: config.Testbed) -> None:
    _end_leftovers()
    kind.of(declared).clean(name, declared)  # also where its tools are missing
    _forget_crashed()
    media.clear(Path(declared.source_directory))
    remove_partials((paths.RAW / name).glob("*/*/*"))


def _end_leftovers() -> None:
    """End the processes of killed programs, and remove what they kept below /run; the caller holds the machine's lock."""
    background.end_leftovers()
    namespaces.remove()
    memory_group.remove_leftovers()
    mountpoint.remove_leftovers()
    private_files.remove_partial_notes()


def _forget_crashed() -> None:
    remove_partials(running.crashed_folders())
    running.remove()
