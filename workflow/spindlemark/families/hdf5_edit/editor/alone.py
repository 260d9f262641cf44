"""No two edits at once, and none of a file that another program writes.

An edit replaces a file, or restores one: a change that another program confirmed meanwhile would be lost with it.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.errors import UserError

WAIT_SECONDS, _PAUSE = 60.0, 0.005


@contextmanager
def only_edit(folder: Path) -> Iterator[None]:
    """Let one edit at a time work in `folder`; raises UserError where another one does not end within WAIT_SECONDS.

    The folder is locked instead of the file, since a file that is renamed takes its lock along, and HDF5 locks the file.
    The kernel drops the lock of a process that is killed. A filesystem without such locks has none.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        give_up = time.monotonic() + WAIT_SECONDS
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > give_up:
                raise UserError(f"{folder}: another edit of a file in it has not ended", "wait for it, or end it")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def unwritten(file: Path) -> Iterator[None]:
    """Keep other programs from writing a file; raises UserError where one has it open for writing.

    HDF5 itself locks what it opens, but neither the original of a copy that is renamed, nor one that a backup replaces.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}", "see that it can be read") from None
    try:
        if not _locked(descriptor, fcntl.LOCK_SH):
            raise UserError(f"{file}: another program has it open for writing", "end that one, and edit then")
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int, how: int) -> bool:
    """Whether the lock could be taken; also where the filesystem has no locks: HDF5 says so, or is set not to lock."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
