"""Edits on request, each in a process that is forked from this one and waits to be let go: Python starts once for all of them.

    python -P -m spindlemark.families.hdf5_edit.crash.edit_server SECONDS

A request is a line of JSON, the arguments of `editor.worker`. The answer is the process's number; after another line it begins, and
its end is the second answer, as waitpid reports it: negative for a signal, SIGALRM where it did not end within SECONDS.
"""

import json
import os
import signal
import sys
from functools import partial

from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.families.hdf5_edit.editor import worker


def main(limit: float) -> None:
    """Serve until the requests end; `limit` in seconds."""
    while line := sys.stdin.readline():
        words, (wait, go) = json.loads(line), os.pipe()
        child = programs.run_in_copy(partial(_edit, words, wait, go, limit))
        os.close(wait)
        print(child, flush=True)
        sys.stdin.readline()
        os.close(go)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _edit(words: list[str], wait: int, go: int, limit: float) -> int:
    os.close(go)
    os.read(wait, 1)  # until the other end is closed
    signal.setitimer(signal.ITIMER_REAL, limit)  # a damaged history may hang the library
    try:
        return worker.main(words)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        return 1


if __name__ == "__main__":
    main(float(sys.argv[1]))
