"""Record several files at once in real time: record_program.py TASK, a JSON file.

TASK has `folder`, `recorders`, `rate` (bytes per second of each), `seconds`, `sync` (none, dsync, or the seconds between two
syncs), `seed`, `log` of the disk's writes, and `noted`, the JSON file that is written: moments with the seconds since the begin, the
bytes of the log, and the bytes of each recording that are synced. Each recorder is a thread that writes a piece when it is due.
It prints {"late": longest time in seconds between the moment when a piece was due and the end of its write or sync}. Runs with the
standard library alone.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from spindlemark.core.sync_folder import sync_folder
from spindlemark.families.shared.crash import content

BEGINS_SECONDS, NOTE_SECONDS = 0.2, 0.02
NONE, DSYNC = "none", "dsync"


class Recorder(threading.Thread):
    """Writes one recording. `synced` are the bytes that a sync has confirmed, `late` the longest delay in seconds."""

    def __init__(self, number: int, task: dict[str, Any], block: bytes, begin: float) -> None:
        super().__init__(daemon=True)
        self.task, self.begin = task, begin
        self.size = int(task["rate"] * task["seconds"])
        self.pieces = content.pieces(block, number, self.size)
        self.path = Path(task["folder"]) / path(number)
        self.synced, self.late = 0, 0.0
        self.error: OSError | None = None

    def run(self) -> None:
        """Write the recording; an error ends it."""
        try:
            self._record()
        except OSError as error:
            self.error = error

    def _record(self) -> None:
        sync = self.task["sync"]
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | (os.O_DSYNC if sync == DSYNC else 0)
        file = os.open(self.path, flags, 0o644)
        if sync != NONE:  # the name of the file survives too
            os.fsync(file)
            sync_folder(self.path.parent)
        written, last = 0, self.begin
        for piece in self.pieces:
            due = self.begin + (written + len(piece)) / self.task["rate"]
            time.sleep(max(0.0, due - time.monotonic()))
            written += _write(file, piece)
            if sync == DSYNC:
                self.synced = written
            elif sync != NONE and time.monotonic() - last >= sync:
                last = time.monotonic()
                os.fsync(file)
                self.synced = written
            self.late = max(self.late, time.monotonic() - due)
        os.close(file)


def path(number: int) -> str:
    """The name of a recording."""
    return f"recording-{number}"


def main(task: dict[str, Any]) -> dict[str, float]:
    """Record, and note where the log is; raises OSError when a recording ended with an error."""
    block, log, begin = content.block(task["seed"]), Path(task["log"]), time.monotonic() + BEGINS_SECONDS
    recorders = [Recorder(number, task, block, begin) for number in range(task["recorders"])]
    for recorder in recorders:
        recorder.start()
    noted = []
    while any(recorder.is_alive() for recorder in recorders):
        synced = [recorder.synced for recorder in recorders]  # before the log is looked at, which has them then
        noted.append([time.monotonic() - begin, log.stat().st_size, synced])
        time.sleep(NOTE_SECONDS)
    for recorder in recorders:
        if recorder.error:
            raise recorder.error
    Path(task["noted"]).write_text(json.dumps(noted), encoding="utf-8")
    return {"late": max(recorder.late for recorder in recorders)}


def _write(file: int, piece: bytes) -> int:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(file, rest) :]
    return len(piece)


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
