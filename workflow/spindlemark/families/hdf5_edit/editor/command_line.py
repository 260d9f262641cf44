"""The command `spindlemark-h5edit`: one edit in a child process.

HDF5 was not made for files that somebody damaged: it may crash, or never end. Then the child does, and this says so.
"""

import argparse
import signal
import sys
from pathlib import Path
from typing import Any

from spindlemark.core import durability
from spindlemark.core.errors import UserError, command, plain
from spindlemark.core.process import programs
from spindlemark.families.hdf5_edit.editor import worker
from spindlemark.families.hdf5_edit.editor.atomicity import aside_of, backup_of

LIMIT_SECONDS, STOP_SECONDS = 3600, 60
_KEPT = {
    durability.NO: "it may hold a part of the commands, or be damaged",
    durability.YES: "it holds all of the commands, or none",
    durability.INC: "it holds whole commands alone",
}


def main() -> None:
    """Entry point; exit code 2 for what the user can mend."""
    _on_request(signal.SIG_DFL)  # there is nothing to take back yet
    command(_main)


def _main() -> int:
    asked = worker.parser().parse_args()
    # In a session of its own: from Ctrl-C it hears once, by this process alone, and takes back what it began.
    child = programs.start(
        [*programs.PYTHON, "-m", "spindlemark.families.hdf5_edit.editor.worker", *sys.argv[1:]], start_new_session=True
    )
    _on_request(signal.default_int_handler)
    try:
        ended = child.wait(LIMIT_SECONDS)
    except KeyboardInterrupt:
        return _stopped(child, asked)
    except programs.TimeoutExpired:
        child.kill()
        child.wait()
        raise UserError(f"{asked.file}: no end within {LIMIT_SECONDS} s", _beside(asked.file)) from None
    if ended < 0:
        raise UserError(
            f"{asked.file}: the edit was ended by {signal.Signals(-ended).name}: HDF5's library crashes on damaged files",
            _beside(asked.file),
        )
    return ended


def _on_request(handler: Any) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, handler)


def _stopped(child: programs.Process, asked: argparse.Namespace) -> int:
    """End the edit on request and say what the file is; exit code 130."""
    _on_request(signal.SIG_IGN)
    child.terminate()
    try:
        child.wait(STOP_SECONDS)
    except programs.TimeoutExpired:
        child.kill()
        child.wait()
    print(plain(f"stopped. {asked.file}: {_KEPT[asked.atomic]}"), file=sys.stderr)
    return 128 + signal.SIGINT


def _beside(file: Path) -> str:
    """Where the file as it was lies."""
    if backup_of(file).exists():
        return f"the file as it was is {backup_of(file)}, if that is whole (h5dump -A)"
    return "the file was edited aside and is as it was" if aside_of(file).exists() else "look at it with h5dump -A"
