"""One measurement at a time on this machine: a lock that the kernel releases when its holders end."""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core import events, private_files
from spindlemark.core.errors import UserError
from spindlemark.core.process.interrupts import interruptible

# A repetition at real size takes hours.
LIMIT_SECONDS = 6 * 3600.0
WAITING = "waiting: "
_SAY_SECONDS, _ASK_SECONDS = 20.0, 0.2


@contextmanager
def machine_lock(wait: bool = True, limit_seconds: float = LIMIT_SECONDS, purpose: str = "") -> Iterator[int]:
    """Hold the machine's lock and yield its descriptor.

    Commands inherit the descriptor, so that one that outlives a killed driver still keeps others out. Waiting processes
    show `purpose`. Raises UserError if another process holds the lock: without `wait` at once, else after `limit_seconds`.
    """
    with file_lock(
        private_files.RUN / "machine.lock", "this machine", limit_seconds if wait else 0, purpose
    ) as descriptor:
        yield descriptor


@contextmanager
def file_lock(path: Path, what: str, limit_seconds: float, purpose: str = "") -> Iterator[int]:
    """Hold the lock file at `path`, in a folder that only root can change, and yield its descriptor."""
    with private_files.file(path) as descriptor:
        _take(descriptor, path, what, limit_seconds)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}{f' ({purpose})' if purpose else ''}".encode(), 0)
        yield descriptor


def _take(descriptor: int, path: Path, what: str, limit_seconds: float) -> None:
    begun = say_at = time.monotonic()
    while not _free(descriptor):
        now = time.monotonic()
        holder = os.pread(descriptor, 200, 0).decode(errors="replace").strip() or "another process"
        if now - begun >= limit_seconds:
            raise UserError(f"{what} is in use by {holder} ({path})", "wait until it ends")
        if now >= say_at:
            print(f"{WAITING}{what} is in use by {holder}", file=sys.stderr, flush=True)
            events.emit("waiting", holder=holder)
            say_at = now + _SAY_SECONDS
        with interruptible():
            time.sleep(_ASK_SECONDS)


def _free(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
