"""Where a process mounts the filesystem that it measures: a folder of its own, which only root can change."""

import os
from contextlib import suppress
from pathlib import Path

from spindlemark import private

_PREFIX = "mount-"


def own() -> Path:
    """The mount point of this process, which it makes; those of processes that have ended are taken away.

    Their mounts went with their mount namespaces. Taking away a folder unmounts what others have mounted on it, so it
    is never one of a process that lives.
    """
    for left in private.folder(private.RUN).glob(f"{_PREFIX}*"):
        if not Path("/proc", left.name.removeprefix(_PREFIX)).exists():
            with suppress(OSError):
                left.rmdir()
    return private.RUN / f"{_PREFIX}{os.getpid()}"
