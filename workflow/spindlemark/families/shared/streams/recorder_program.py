"""Records several programmes at once into one folder, and deletes old ones to make room: a recorder with tuners.

A program of its own that needs nothing but Python, since it runs as a timed command. Not fio, because with fio's
processes the kernel decides whose block comes next, and a set of recordings that ends and begins at different times
on a nearly full disk cannot be said. Here one thread writes for all tuners in turn, so that the order of all writes
and deletions follows from the seed alone and every filesystem gets the same.

Recordings are files called 0, 1, 2 ... in the order in which they began. Each tuner writes a block in its turn,
through the page cache, and forces its file to the disk after every `flush` bytes, as recorders do that must not lose
more than a moment at a power failure: the filesystem gets to place a piece of each recording at a time, as at the
real rate. What is left at the end of a recording goes when the kernel sees fit. A tuner that ends a recording begins
the next one at once. Before one begins, finished ones are deleted, drawn at random as viewers do who delete what they
have seen, until all recordings at their full length fit the budget.
"""

import argparse
import os
import random
import sys
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

_POOL = 8 * 1024 * 1024


@dataclass
class Tuner:
    """One recording in progress."""

    file: int
    number: int
    size: int
    written: int = 0
    unflushed: int = 0


class Recorder:
    """The state of one call: what is recorded, what is in progress, what is yet to be written."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.folder = given, Path(given.folder)
        self.random = random.Random(given.seed)
        self.finished = {int(entry.name): entry.stat().st_size for entry in os.scandir(self.folder)}
        self.next = max(self.finished, default=-1) + 1
        self.tuners: list[Tuner] = []
        self.begun = 0
        # Long and drawn at random, and read from a moving place: neither compression nor deduplication finds a repeat.
        self.pool = memoryview(os.urandom(_POOL + given.block))

    def run(self) -> None:
        """Record until recordings of `target` bytes in all have begun, and end those."""
        while self._begin_due() or self.tuners:
            for tuner in list(self.tuners):
                self._write(tuner)
                if tuner.written == tuner.size:
                    self._end(tuner)
                    self._begin_due()

    def _begin_due(self) -> bool:
        """Give every free tuner a recording while there is something left to record; whether any got one."""
        before = self.begun
        while len(self.tuners) < self.given.tuners and self.begun < self.given.target:
            self._begin()
        return self.begun > before

    def _begin(self) -> None:
        size = self._size()
        self._make_room(size + sum(tuner.size for tuner in self.tuners))
        file = os.open(self.folder / str(self.next), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        if self.given.preallocate:
            os.posix_fallocate(file, 0, size)
        self.tuners.append(Tuner(file, self.next, size))
        self.begun, self.next = self.begun + size, self.next + 1

    def _size(self) -> int:
        """Log-uniform between smallest and largest, in whole blocks: doubling a length makes it no rarer."""
        smallest, largest = self.given.smallest, self.given.largest
        drawn = round(exp(self.random.uniform(log(smallest), log(largest))))
        return max(1, min(max(drawn, smallest), largest) // self.given.block) * self.given.block

    def _make_room(self, needed: int) -> None:
        while self.finished and sum(self.finished.values()) + needed > self.given.budget:
            gone = self.random.choice(sorted(self.finished))
            os.unlink(self.folder / str(gone))  # noqa: PTH108
            del self.finished[gone]

    def _write(self, tuner: Tuner) -> None:
        length = min(self.given.block, tuner.size - tuner.written)
        start = (tuner.number * 7919 + tuner.written * 3) % _POOL
        done = os.write(tuner.file, self.pool[start : start + length])
        tuner.written, tuner.unflushed = tuner.written + done, tuner.unflushed + done
        if tuner.unflushed >= self.given.flush:
            os.fdatasync(tuner.file)
            tuner.unflushed = 0

    def _end(self, tuner: Tuner) -> None:
        os.close(tuner.file)
        self.tuners.remove(tuner)
        self.finished[tuner.number] = tuner.size


def main() -> int:
    """Parse, record and print how many bytes; exit code 1 with the system's words when the filesystem refuses."""
    parser = argparse.ArgumentParser(prog="recorder", description=__doc__)
    parser.add_argument("folder", help="of the recordings; it holds nothing else")
    for name, meaning in (
        ("tuners", "recordings side by side"),
        ("block", "bytes of one write"),
        ("flush", "bytes after which a recording is forced to the disk"),
        ("smallest", "bytes of the shortest recording"),
        ("largest", "bytes of the longest"),
        ("budget", "bytes that all recordings may take"),
        ("target", "bytes to record in all"),
        ("seed", "of sizes and deletions"),
    ):
        parser.add_argument(f"--{name}", type=int, required=True, help=meaning)
    parser.add_argument("--preallocate", action="store_true", help="reserve the space of a recording when it begins")
    recorder = Recorder(parser.parse_args())
    try:
        recorder.run()
    except OSError as error:
        print(f"recorder: recording {recorder.next}: {error.strerror}", file=sys.stderr)
        return 1
    print(recorder.begun)
    return 0


if __name__ == "__main__":
    sys.exit(main())
