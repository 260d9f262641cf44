"""Program: N clients play an asset each over HTTP, in one process that sleeps until bytes come or a buffer has room.

No public load generator holds each connection to a rate, so this is one of our own. Each client reads no more than its
buffer holds (playback_buffer.py); the rest waits at the server, as it does with a player. Received data is checked: the head of the
first block of each read is compared with the asset and the place in it. Standard library alone; started as
`python -P -m spindlemark.families.http_streams.http_client`, with its task as JSON in one argument and the path for its JSON report.

Task: host, port, tls, segmented, rate (B/s), start_bytes, most_bytes, asset_bytes, limit_seconds, marks: seconds at which the bytes
that each client got and holds are noted, joins: the second at which each client begins (marks need all of them at 0), and
stay_seconds: how long each stays at most, null for all the time, and thumbnails: how many are requested in each second (per_second)
and how many there are (count). The report: see `Report`.
"""

import heapq
import json
import resource
import select
import ssl
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from spindlemark.families.http_streams.download import Download
from spindlemark.families.http_streams.ending import Ending
from spindlemark.families.http_streams.playback_buffer import PlaybackBuffer
from spindlemark.families.http_streams.thumbnails import Thumbnails

_READ = 256 * 1024
_SMALLEST = 16 * 1024  # a client whose buffer is full asks again when so much of it, or an eighth, has been shown
_TICK = 0.05
_EVENTS = 4096  # taken at once


@dataclass
class Report:
    """What the clients saw. `marks`: per mark and client (bytes received, bytes held); seconds of the system's monotonic clock.

    `begun` is the moment to which the seconds of clients and marks refer. `thumbnails`: see thumbnails.py.
    """

    clients: list[dict] = field(default_factory=list)
    marks: list[list[tuple[int, int]]] = field(default_factory=list)
    thumbnails: dict = field(default_factory=dict)
    checked_blocks: int = 0
    bad_blocks: int = 0
    begun: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    latest_seconds: float = 0.0  # by which the program noticed later than it wanted that a buffer has room


class Clients:
    """All clients of one trial."""

    def __init__(self, task: dict) -> None:
        self.task, self.buffer = task, memoryview(bytearray(_READ))
        self.tls = _tls() if task["tls"] else None
        self.quantum = max(_SMALLEST, min(_READ, task["most_bytes"] // 8))
        self.poll = select.epoll()
        self.timers: list[tuple[float, int]] = []
        self.report = Report()
        self.begun, self.used = time.monotonic(), _cpu_seconds()
        self.playing: dict[int, tuple[Download, PlaybackBuffer]] = {}
        self.all: list[tuple[Download, PlaybackBuffer]] = []
        self.left: dict[int, float] = {}  # asset -> when its client stopped
        self.ending = Ending(self.poll)
        address, wanted = (task["host"], task["port"]), task["thumbnails"]
        self.thumbnails = Thumbnails(
            address, wanted["per_second"], wanted["count"], self.begun, self.poll, self.ending, self.tls
        )
        self._join(self.begun)

    def play(self) -> Report:
        """Let all clients play to the end of the asset, of their stay, or of the time."""
        end = self.begun + self.task["limit_seconds"]
        marks = list(self.task["marks"])
        while (self.playing or self.ending or self._waiting()) and (now := time.monotonic()) < end:
            while marks and now >= self.begun + marks[0]:
                self.report.marks.append([(p.received, int(p.level(now))) for _, p in self.all])
                marks.pop(0)
            until = min(
                [
                    end,
                    now + _TICK,
                    *(when for when, _ in self.timers[:1]),
                    *(self.begun + mark for mark in marks[:1]),
                    *self.thumbnails.next(),
                ]
            )
            for descriptor, _ in self.poll.poll(max(0.0, until - now), _EVENTS):
                if descriptor in self.thumbnails:
                    self.thumbnails.readable(descriptor, self.buffer, time.monotonic())
                elif descriptor in self.ending:
                    self.ending.readable(descriptor)
                elif descriptor in self.playing:
                    self._readable(descriptor)
            self.thumbnails.request(time.monotonic())
            self._resume()
            self._join(time.monotonic())
            self._leave(time.monotonic())
        return self._reported(marks)

    def _waiting(self) -> bool:
        return len(self.all) < len(self.task["joins"])

    def _join(self, now: float) -> None:
        """Begin with the clients whose time has come; they are numbered in the order of their times."""
        while self._waiting() and now >= self.begun + self.task["joins"][len(self.all)]:
            self.all.append(self._client(len(self.all)))

    def _leave(self, now: float) -> None:
        """Hang up for those who stayed long enough; the first who came leaves first."""
        stay = self.task["stay_seconds"]
        for descriptor, (_, buffer) in list(self.playing.items()) if stay is not None else ():
            if now >= buffer.begun + stay:
                buffer.end(now)
                self._stop(descriptor, now)

    def _stop(self, descriptor: int, now: float) -> None:
        download, _ = self.playing.pop(descriptor)
        self.left[download.asset] = now
        if download.complete:
            return self.ending.add(download)
        self.poll.unregister(descriptor)
        download.close()
        return None

    def _client(self, number: int) -> tuple[Download, PlaybackBuffer]:
        task = self.task
        buffer = PlaybackBuffer(
            task["rate"], task["start_bytes"], task["most_bytes"], task["asset_bytes"], time.monotonic()
        )
        download = Download((task["host"], task["port"]), number, task["segmented"], task["asset_bytes"], self.tls)
        if not download.error:
            self.playing[download.descriptor] = download, buffer
            self.poll.register(download.descriptor, select.EPOLLIN)
        return download, buffer

    def _readable(self, descriptor: int) -> None:
        download, buffer = self.playing[descriptor]
        room = buffer.room(time.monotonic())
        if room < min(self.quantum, buffer.total - buffer.received):
            return self._pause(descriptor, buffer)
        came = download.read(self.buffer[: max(1, min(room, _READ))])
        now = time.monotonic()
        if came:
            buffer.add(came, now)
        if download.error or download.complete:
            buffer.settle(now)
            self._stop(descriptor, now)
        elif download.holds_more():
            self._readable(descriptor)
        return None

    def _pause(self, descriptor: int, buffer: PlaybackBuffer) -> None:
        """The rest waits at the server until there is room for a whole piece."""
        now = time.monotonic()
        wanted = min(self.quantum, buffer.total - buffer.received)
        self.poll.modify(descriptor, 0)
        heapq.heappush(self.timers, (now + (wanted - buffer.room(now) + 1) / buffer.rate, descriptor))

    def _resume(self) -> None:
        now = time.monotonic()
        while self.timers and self.timers[0][0] <= now:
            due, descriptor = heapq.heappop(self.timers)
            self.report.latest_seconds = max(self.report.latest_seconds, now - due)
            if descriptor in self.playing:
                self.poll.modify(descriptor, select.EPOLLIN)
                if self.playing[descriptor][0].holds_more():
                    self._readable(descriptor)

    def _reported(self, missed: list[float]) -> Report:
        now, report = time.monotonic(), self.report
        self.ending.close()
        report.thumbnails = self.thumbnails.end(now)
        report.latest_seconds = max(report.latest_seconds, self.thumbnails.latest_seconds)
        report.checked_blocks = sum(each.checked for each in self.thumbnails.finished)
        report.bad_blocks = sum(each.bad for each in self.thumbnails.finished)
        report.marks += [[(p.received, int(p.level(now))) for _, p in self.all] for _ in missed]
        for download, buffer in self.all:
            if not download.complete and download.asset not in self.left:
                buffer.end(now)
            download.close()
            report.checked_blocks += download.checked
            report.bad_blocks += download.bad
            report.clients.append(
                {
                    "received_bytes": buffer.received,
                    "transferred": download.transferred,
                    "complete": download.complete,
                    "ended": download.ended,
                    "error": download.error,
                    "joined_seconds": buffer.begun - self.begun,
                    "left_seconds": self.left.get(download.asset, now) - self.begun,
                    "startup_seconds": buffer.startup_seconds,
                    "lowest_bytes": buffer.lowest,
                    "stalls": buffer.stalls,
                    "stalled_seconds": buffer.stalled_seconds,
                }
            )
        report.begun = self.begun
        report.seconds, report.cpu_seconds = now - self.begun, _cpu_seconds() - self.used
        return report


def _tls() -> ssl.SSLContext:
    """TLS to a server whose certificate was made for this measurement: encryption costs the same with one that is trusted."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(task: str, output: Path) -> int:
    """Play as the task says, and write the report."""
    given = json.loads(task)
    connections = len(given["joins"]) + given["thumbnails"]["count"]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, connections + 64), hard), hard))
    output.write_text(json.dumps(asdict(Clients(given).play())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
