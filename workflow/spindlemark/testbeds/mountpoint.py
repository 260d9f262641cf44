"""Where a process mounts the filesystem that it measures: a folder of its own, which only root can change."""

import os
from contextlib import suppress
from pathlib import Path

from spindlemark.core import private_files

_PURPOSES = (MEASURED, RECORDED) = ("mount", "recorded")


def own(purpose: str = MEASURED) -> Path:
    """The mount point of this process, which it makes; those of processes that have ended are taken away.

    Their mounts went with their mount namespaces. Taking away a folder unmounts what others have mounted on it, so it
    is never one of a process that lives.
    """
    for left in private_files.folder(private_files.RUN).glob("*-[0-9]*"):
        kind, _, process = left.name.rpartition("-")
        if kind in _PURPOSES and not Path("/proc", process).exists():
            with suppress(OSError):
                left.rmdir()
    return private_files.RUN / f"{purpose}-{os.getpid()}"
