"""Stop Snakemake and its jobs when the command line was killed: `stop_orphan.py GROUP`, with a pipe as input.

The kernel interrupts Snakemake once when its parent dies. That is lost while Python runs a destructor, and no job gets it.
The command line writes a byte to the pipe when Snakemake has ended; an end without one means that it was killed.

Uses the standard library alone, so that it starts in 20 ms.
"""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

STOP_SECONDS = 60
INTERVAL_SECONDS = 0.2


def main(group: int) -> None:
    """Wait for the pipe's end; then SIGINT, SIGTERM and SIGKILL to the process group until all of it has ended."""
    if os.read(sys.stdin.fileno(), 1):
        return
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(group, sign)
        end = time.monotonic() + STOP_SECONDS
        while time.monotonic() < end:
            if not _runs(group):
                return
            time.sleep(INTERVAL_SECONDS)


def _runs(group: int) -> bool:
    """Whether a process of the group has not ended; one that waits to be noticed by its parent has."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            state, _, its_group = stat.read_text(errors="replace").rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                return True
    return False


if __name__ == "__main__":
    main(int(sys.argv[1]))
