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

STOP_SECONDS = 60
INTERVAL_SECONDS = 0.1


def main(group: int) -> None:
    """Wait for the pipe's end; then SIGINT, SIGTERM and SIGKILL to the process group until it is empty."""
    if os.read(sys.stdin.fileno(), 1):
        return
    with suppress(ProcessLookupError):
        for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            os.killpg(group, sign)
            end = time.monotonic() + STOP_SECONDS
            while time.monotonic() < end:
                os.killpg(group, 0)
                time.sleep(INTERVAL_SECONDS)


if __name__ == "__main__":
    main(int(sys.argv[1]))
