"""The folder where a process mounts the filesystem that it measures. Only root can change it."""

import os
from contextlib import suppress
from pathlib import Path

from spindlemark.core import private_files

_PURPOSES = (MEASURED, RECORDED, MODELLED) = ("mount", "recorded", "modelled")


def own(purpose: str = MEASURED) -> Path:
    """The path of this process's mount point, which the caller creates. Removes those of processes that have ended."""
    remove_leftovers()
    return private_files.folder(private_files.RUN) / f"{purpose}-{os.getpid()}"


def remove_leftovers() -> None:
    """Remove the mount points of processes that have ended.

    Their mounts ended with their mount namespaces. Removing a folder unmounts what other namespaces have mounted on it,
    so the folder of a running process is never removed.
    """
    for left in private_files.RUN.glob("*-[0-9]*"):
        kind, _, process = left.name.rpartition("-")
        if kind in _PURPOSES and not Path("/proc", process).exists():
            with suppress(OSError):
                left.rmdir()
