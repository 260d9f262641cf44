"""The client of an editor's task on a share; prints its cost as JSON.

A program of its own, for the client's network namespace, as share_client. Each part of a task runs in a process
with a connection of its own, since Samba's library takes no threads, and all parts begin together. A *frame* is one
FRAME_RATE-th of a second of film: it is requested when its turn comes and late when it is not there BUFFER_FRAMES later.
Ends with exit code 1 and the reason on standard error when the server refuses anything.
"""

import json
import math
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from spindlemark.core.process import programs, usage
from spindlemark.families.network_share.share_client import GO, READY, connected
from spindlemark.families.network_share.share_connection import PIECE, Connection

FRAME_RATE, BUFFER_FRAMES = 25, 5


@dataclass(frozen=True)
class Part:
    """One client's part: `do` is play, scrub, copy, folder or record.

    play and record: `bits_per_second` for `seconds`; play reads the film from `offset`. scrub: `count` random reads of
    1 MiB in `bytes` of the film. copy: `files` maps a path to its size. folder: the first `head` bytes of `count` files.
    """

    do: str
    offset: int = 0
    bytes: int = 0
    bits_per_second: int = 0
    seconds: float = 0.0
    count: int = 0
    head: int = 0
    path: str = ""
    seed: int = 0
    files: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """Bytes moved; seconds from the first request to the last answer; processor seconds; late frames; and of single reads the
    median and the 99th percentile in seconds, not each of them: only the end of a long output is kept.
    """

    bytes: int
    seconds: float
    cpu_seconds: float
    late: int = 0
    median_seconds: float | None = None
    p99_seconds: float | None = None


@dataclass(frozen=True)
class Report:
    """What each part did, and the processor seconds of the server meanwhile; None where they are unknown."""

    parts: tuple[Done, ...]
    server_seconds: float | None


def main(text: str) -> None:
    """Do a task: `protocol`, `address`, `port`, `parts`, and the server's control group `server`."""
    task = json.loads(text)
    if "part" in task:
        _work(task)
        return
    workers = [
        programs.start(
            [*programs.PYTHON, "-m", __spec__.name, json.dumps({**task, "part": part})],
            stdin=programs.PIPE,
            stdout=programs.PIPE,
            text=True,
        )
        for part in task["parts"]
    ]
    if [worker.stdout.readline().strip() for worker in workers if worker.stdout] != [READY] * len(workers):
        raise ConnectionError("a client did not connect: see above")
    group = Path(task["server"]) if task["server"] else None
    before = usage.seconds(group) if group else None
    for worker in workers:
        assert worker.stdin  # a pipe
        worker.stdin.write(GO + "\n")
        worker.stdin.flush()
    reports = [worker.communicate()[0] for worker in workers]
    if any(worker.returncode for worker in workers):
        raise OSError("a client failed: see above")
    after = usage.seconds(group) if group else None
    spent = None if before is None or after is None else after - before
    print(json.dumps({"parts": [json.loads(text) for text in reports], "server_seconds": spent}))


def report_of(text: str) -> Report:
    """What the program printed."""
    found = json.loads(text)
    return Report(tuple(Done(**part) for part in found["parts"]), found["server_seconds"])


def block(seed: int) -> bytes:
    """PIECE bytes that nothing can shrink: what new files consist of, over and over."""
    return random.Random(seed).randbytes(PIECE)


def _work(task: dict) -> None:
    part, connection = Part(**task["part"]), connected(task["protocol"], task["address"], task["port"])
    content = memoryview(bytearray(block(part.seed)))
    print(READY, flush=True)
    if sys.stdin.readline().strip() != GO:
        raise ConnectionError("the parent does not wait for this client")
    cpu, begun = time.process_time(), time.monotonic()
    moved, late, latencies = _DO[part.do](part, connection, content)
    done = Done(moved, time.monotonic() - begun, time.process_time() - cpu, late, *_quantiles(latencies))
    connection.close()
    print(json.dumps(asdict(done)))


def _quantiles(seconds: list[float]) -> tuple[float | None, float | None]:
    """Median and 99th percentile, the smallest value that at least 99 % do not exceed; None each without values."""
    ordered = sorted(seconds)
    return (median(ordered), ordered[math.ceil(0.99 * len(ordered)) - 1]) if ordered else (None, None)


Moved = tuple[int, int, list[float]]  # bytes, late frames, seconds of each read


def _play(part: Part, connection: Connection, content: memoryview) -> Moved:
    pace, size = Pace(), frame_bytes(part.bits_per_second)
    frames = frames_of(part.seconds)
    view = memoryview(bytearray(size))
    for number in range(frames):
        pace.wait(number)
        connection.read_into(part.offset + number * size, view)
        pace.finished(number)
    return frames * size, pace.late, []


def _record(part: Part, connection: Connection, content: memoryview) -> Moved:
    pace, size, frames = Pace(), frame_bytes(part.bits_per_second), frames_of(part.seconds)

    def pieces() -> Iterator[memoryview]:
        for number in range(frames):
            pace.wait(number)
            yield content[:size]
            pace.finished(number)

    connection.create(part.path, frames * size, pieces())
    return frames * size, pace.late, []


def _scrub(part: Part, connection: Connection, content: memoryview) -> Moved:
    places = random.Random(part.seed).sample(range(part.bytes // PIECE), part.count)
    view, latencies = memoryview(bytearray(PIECE)), []
    for place in places:
        begun = time.monotonic()
        connection.read_into(place * PIECE, view)
        latencies.append(time.monotonic() - begun)
    return len(places) * PIECE, 0, latencies


def _copy(part: Part, connection: Connection, content: memoryview) -> Moved:
    for path, size in part.files.items():
        pieces = (content[: min(PIECE, size - place)] for place in range(0, size, PIECE))
        connection.create(path, size, pieces)
    return sum(part.files.values()), 0, []


def _folder(part: Part, connection: Connection, content: memoryview) -> Moved:
    names, view = sorted(connection.names(part.path)), memoryview(bytearray(part.head))
    if len(names) < part.count:
        raise FileNotFoundError(f"{part.path}: {len(names)} names, fewer than {part.count}")
    for name in names[: part.count]:
        connection.read_head(f"{part.path}/{name}", view)
    return part.count * part.head, 0, []


_DO = {"play": _play, "record": _record, "scrub": _scrub, "copy": _copy, "folder": _folder}


class Pace:
    """The timetable of frames, from now on, and how many frames were late."""

    def __init__(self) -> None:
        self._begun, self.late = time.monotonic(), 0

    def wait(self, number: int) -> None:
        """Sleep until it is the frame's turn."""
        time.sleep(max(0.0, self._begun + number / FRAME_RATE - time.monotonic()))

    def finished(self, number: int) -> None:
        """Count the frame as late where its buffer was empty already."""
        self.late += time.monotonic() > self._begun + (number + BUFFER_FRAMES) / FRAME_RATE


def frame_bytes(bits_per_second: int) -> int:
    """Bytes of one frame; at most PIECE, so that a frame is one request."""
    return bits_per_second // 8 // FRAME_RATE


def frames_of(seconds: float) -> int:
    """Whole frames in a time, at least one."""
    return max(1, round(seconds * FRAME_RATE))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
