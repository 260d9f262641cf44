"""Provide a file by FUSE that is as slow as a modelled disk: program.py FOLDER NAME IMAGE PARAMETERS.

A process of its own, next to the measurement. It mounts FOLDER with the single file NAME, whose content is in IMAGE, a
file in memory. Each command is done at once in memory and answered when the disk would have done it.
"""

import ctypes
import gc
import json
import mmap
import os
import select
import signal
import sys
import time
from contextlib import suppress
from math import inf

from spindlemark.testbeds import kernel
from spindlemark.testbeds.drive import fuse
from spindlemark.testbeds.drive.mechanism import FLUSH, READ, WRITE, Drive, Order
from spindlemark.testbeds.drive.parameters import Parameters

_SET_TIMER_SLACK, _SET_IO_FLUSHER = 29, 57  # of linux/prctl.h
_KINDS = {fuse.READ: READ, fuse.WRITE: WRITE, fuse.FSYNC: FLUSH}
_POPULATE = 0x8000  # of mmap: with all pages, so that no command waits for one
_WRITTEN = 8  # bytes of the answer to a write
# Extended attribute of the file: while it is 1, commands are answered at once.
HURRY, ON, OFF = b"trusted.spindlemark.hurry", b"1", b"0"


class Program:
    """The file, its content and the disk that it behaves like."""

    def __init__(self, connection: fuse.Connection, content: memoryview, drive: Drive) -> None:
        self._connection, self._content, self._drive = connection, content, drive
        self._begun = time.monotonic()
        self._waiting: dict[int, tuple[int, int, int]] = {}  # operation, start and end of each unanswered command
        self._answered, self._late, self._most_late, self._most_waiting = 0, 0.0, 0.0, 0
        connection.report = self._report

    def run(self) -> None:
        """Serve commands until the folder is unmounted."""
        with suppress(OSError):
            while True:
                wait = max(0.0, self._drive.due() - self._now())
                select.select([self._connection.descriptor], [], [], None if wait == inf else wait)
                self._answer_due()
                while (request := self._connection.take()) is not None:
                    self._begin(request)
                    self._answer_due()

    def _now(self) -> float:
        return time.monotonic() - self._begun

    def _begin(self, request: fuse.Request) -> None:
        start, end = request.offset, request.offset + request.size
        if request.code == fuse.WRITE:
            assert request.data is not None, "a write has data"
            self._content[start:end] = request.data[: request.size]
        if self._connection.attributes.get(HURRY) == ON:
            self._answer(request.unique, request.code, start, end)
            return
        self._waiting[request.unique] = request.code, start, end
        self._most_waiting = max(self._most_waiting, len(self._waiting))
        self._drive.submit(Order(_KINDS[request.code], start, end, self._now(), request.unique))

    def _answer_due(self) -> None:
        for finish, unique in self._drive.advance(self._now()):
            self._answer(unique, *self._waiting.pop(unique))
            late = self._now() - finish
            self._answered, self._late = self._answered + 1, self._late + late
            self._most_late = max(self._most_late, late)

    def _answer(self, unique: int, code: int, start: int, end: int) -> None:
        if code == fuse.READ:
            self._connection.answer(unique, self._content[start:end])
        elif code == fuse.WRITE:
            self._connection.answer(unique, (end - start).to_bytes(_WRITTEN, "little"))
        else:
            self._connection.answer(unique)

    def _report(self) -> bytes:
        """How late answers were and how many commands there were at once, as JSON."""
        report = {
            "commands": self._answered,
            "most_at_once": self._most_waiting,
            "late_mean_seconds": self._late / max(1, self._answered),
            "late_most_seconds": self._most_late,
        }
        return json.dumps(report).encode()


def main(folder: str, name: str, image: str, parameters: str) -> None:
    """Provide the file until it is unmounted or a signal comes."""
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_TIMER_SLACK, 1, 0, 0, 0)
    # Otherwise its own memory allocations could wait for write-back to its file.
    libc.prctl(_SET_IO_FLUSHER, 1, 0, 0, 0)
    with suppress(PermissionError):  # like a real disk it does not wait until a processor is free
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    kept = os.open(image, os.O_RDWR | os.O_CLOEXEC)
    size = os.fstat(kept).st_size
    content = memoryview(mmap.mmap(kept, size, mmap.MAP_SHARED | _POPULATE))
    program = Program(fuse.Connection(folder, name, size), content, Drive(Parameters.of(json.loads(parameters)), size))
    # The last process of a mount namespace unmounts everything in it before it closes its files: this process would
    # wait for itself, because filesystems are mounted from its file.
    kernel.own_mount_namespace()
    gc.disable()
    program.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
