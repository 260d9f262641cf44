"""The command `spindlemark-h5edit`: one edit in a child process.

HDF5 was not made for files that somebody damaged: it may crash, or never end. Then the child does, and this says so.
"""

import signal
import sys
from pathlib import Path

from spindlemark import programs
from spindlemark.errors import UserError, command
from spindlemark.h5edit import worker
from spindlemark.h5edit.levels import aside_of, backup_of

LIMIT_SECONDS = 3600


def main() -> None:
    """Entry point; exit code 2 for what the user can mend."""
    command(_main)


def _main() -> int:
    asked = worker.parser().parse_args()
    try:
        ended = programs.run([*programs.PYTHON, "-m", "spindlemark.h5edit.worker", *sys.argv[1:]], timeout=LIMIT_SECONDS).returncode
    except programs.TimeoutExpired:
        raise UserError(f"{asked.file}: no end within {LIMIT_SECONDS} s", _beside(asked.file)) from None
    if ended < 0:
        raise UserError(f"{asked.file}: the edit was ended by {signal.Signals(-ended).name}: HDF5's library crashes on damaged files",
                        _beside(asked.file))
    return ended


def _beside(file: Path) -> str:
    """Where the file as it was lies."""
    if backup_of(file).exists():
        return f"the file as it was is {backup_of(file)}, if that is whole (h5dump -A)"
    return "the file was edited aside and is as it was" if aside_of(file).exists() else "look at it with h5dump -A"
