"""The command `spindlemark-h5edit`: one edit in a child process.

HDF5 was not made for damaged files: it may crash, or never end. Then only the child does, and this process reports it.
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
    durability.SWMR: "it holds whole commands, or may be damaged if the edit did not end by itself",
}


def main() -> None:
    """Entry point; exit code 2 for what the user can fix."""
    _on_request(signal.SIG_DFL)  # there is nothing to take back yet
    command(_main)


def _main() -> int:
    arguments = worker.parser().parse_args()
    # In a session of its own: from Ctrl-C it hears once, by this process alone, and takes back what it began.
    child = programs.start(
        [*programs.PYTHON, "-m", "spindlemark.families.hdf5_edit.editor.worker", *sys.argv[1:]],
        start_new_session=True,
        cwd=Path.cwd(),  # its arguments name files relative to it
    )
    _on_request(signal.default_int_handler)
    try:
        ended = child.wait(LIMIT_SECONDS)
    except KeyboardInterrupt:
        return _stopped(child, arguments)
    except programs.TimeoutExpired:
        child.kill()
        child.wait()
        raise UserError(f"{arguments.file}: no end within {LIMIT_SECONDS} s", _original(arguments.file)) from None
    if ended < 0:
        raise UserError(
            f"{arguments.file}: the edit was ended by {signal.Signals(-ended).name}: HDF5's library crashes on damaged files",
            _original(arguments.file),
        )
    return ended


def _on_request(handler: Any) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, handler)


def _stopped(child: programs.Process, arguments: argparse.Namespace) -> int:
    """End the edit on request and say what the file is; exit code 130."""
    _on_request(signal.SIG_IGN)
    child.terminate()
    try:
        child.wait(STOP_SECONDS)
    except programs.TimeoutExpired:
        child.kill()
        child.wait()
    print(plain(f"stopped. {arguments.file}: {_KEPT[arguments.atomic]}"), file=sys.stderr)
    return 128 + signal.SIGINT


def _original(file: Path) -> str:
    """Where the unchanged file is."""
    if backup_of(file).exists():
        return f"the file as it was is {backup_of(file)}, if that is whole (h5dump -A)"
    return "the file was edited aside and is as it was" if aside_of(file).exists() else "look at it with h5dump -A"
