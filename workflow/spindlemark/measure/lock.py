"""One measurement at a time on a testbed, for the whole machine: a lock that the kernel drops when its holders end."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.errors import UserError
from spindlemark.measure.interrupts import interruptible

FOLDER = Path("/run/lock")


@contextmanager
def locked(testbed: str, wait: bool = True) -> Iterator[int]:
    """Hold the testbed's lock and yield its descriptor; commands inherit it, so that one that outlives a killed driver
    still keeps others out. Without `wait` raises UserError when somebody else holds it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"spindlemark-{testbed}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 100, 0).decode().strip() or "another process"
            if not wait:
                raise UserError(f"testbed {testbed} is in use by {holder} ({path})", "wait for its end") from None
            print(f"waiting: testbed {testbed} is in use by {holder}", file=sys.stderr, flush=True)
            with interruptible():
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)
