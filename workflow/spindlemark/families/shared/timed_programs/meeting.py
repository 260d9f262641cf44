"""The common start of the programs of a trial: a folder in memory that they share.

Each leaves a note `.ready` when it can begin, then waits for `begin`, which holds a time of CLOCK_MONOTONIC. Notes are in a folder of
the unprivileged user; all else there only root can change.
"""

import json
import os
import shutil
import signal
import time
from pathlib import Path

from spindlemark.core import atomic_write
from spindlemark.families.shared.timed_programs.drop_privileges import USER

BEGIN, NOTES = "begin", "notes"
_LOOK_SECONDS, _STAY_SECONDS = 0.01, 1.0


def prepare(folder: Path, left: str) -> None:
    """Make the folder ready for a trial: remove what an earlier one left, files of the pattern `left` too. Only USER can write notes."""
    notes = folder / NOTES
    shutil.rmtree(notes, ignore_errors=True)
    for file in (*folder.glob(left), *folder.glob(BEGIN)):
        file.unlink()
    notes.mkdir(mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(notes, USER)
    folder.chmod(0o711)  # to pass through for processes in it; the folders above it let no one else in


def begin(folder: Path, after_seconds: float) -> float:
    """Report to all that wait in `folder` the time of the begin, and return it."""
    at = time.monotonic() + after_seconds
    with atomic_write.partial(folder / BEGIN) as note:
        note.write_text(json.dumps(at))
        note.chmod(0o644)
    return at


def begun(folder: Path, ready: Path, seconds: float) -> float:
    """Leave the note `ready`, wait for the others, and return the time of the begin; raises TimeoutError after `seconds`."""
    ready.touch()
    file = folder / BEGIN
    wait_for(file, seconds)
    return float(json.loads(file.read_text()))


def wait_for(file: Path, seconds: float) -> None:
    """Wait until the file of another is there; raises TimeoutError."""
    limit = time.monotonic() + seconds
    while not file.exists():
        if time.monotonic() > limit:
            raise TimeoutError(f"the others were not ready within {seconds:g} s")
        time.sleep(_LOOK_SECONDS)


def leave_on_request() -> None:
    """Wait to be ended, and end at once: libraries with threads of their own take their time, or never end."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    while True:
        time.sleep(_STAY_SECONDS)
