"""Thumbnails that one more client fetches while others play: small assets of their own, at equal distances in time.

A page of a media server shows the first frame or the poster of many assets. Each thumbnail is requested once in a trial and on a
connection of its own, whether or not those before it came: a slow server gets no rest. Standard library alone, as the
client program that uses it.
"""

import random
import select
import ssl
from typing import Any

from spindlemark.families.http_streams import asset_blocks
from spindlemark.families.http_streams.download import Download
from spindlemark.families.http_streams.ending import Ending

FIRST = 1_000_000  # number of the first thumbnail's asset, beyond those of assets
BYTES = 16 * asset_blocks.BLOCK  # about what a poster of a media server has
_SEED = 1


class Thumbnails:
    """Requests `per_second` of `count` thumbnails from `begun` on, in an order that no readahead foresees."""

    def __init__(
        self,
        address: tuple[str, int],
        per_second: float,
        count: int,
        begun: float,
        poll: select.epoll,
        ending: Ending,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._address, self._tls, self._poll, self._ending = address, tls, poll, ending
        order = random.Random(_SEED).sample(range(count), count)
        self._due = [(begun + at / per_second, FIRST + number) for at, number in enumerate(order)] if per_second else []
        self._open: dict[int, tuple[Download, float]] = {}
        self.seconds: list[float] = []
        self.latest_seconds = 0.0  # by which a request was sent later than planned
        self.finished: list[Download] = []

    def __contains__(self, descriptor: int) -> bool:
        """Whether it is the connection of a thumbnail."""
        return descriptor in self._open

    def next(self) -> list[float]:
        """When the next is requested (monotonic seconds); empty after the last."""
        return [when for when, _ in self._due[:1]]

    def request(self, now: float) -> None:
        """Send the requests whose time has come. Each waits from the moment for which it was planned."""
        while self._due and self._due[0][0] <= now:
            due, number = self._due.pop(0)
            self.latest_seconds = max(self.latest_seconds, now - due)
            download = Download(self._address, number, False, BYTES, self._tls)
            if download.error:
                self.finished.append(download)
                continue
            self._open[download.descriptor] = download, due
            self._poll.register(download.descriptor, select.EPOLLIN)

    def readable(self, descriptor: int, buffer: memoryview, now: float) -> None:
        """Take what came of one."""
        download, due = self._open[descriptor]
        download.read(buffer)
        while download.holds_more() and not (download.complete or download.error):
            download.read(buffer)
        if download.complete or download.error:
            self._finish(descriptor, now - due)

    def end(self, now: float) -> dict[str, Any]:
        """Hang up where one has not come, which counts with the time so far, and say what was seen."""
        for descriptor, (_, due) in list(self._open.items()):
            self._finish(descriptor, now - due)
        return {
            "seconds": self.seconds,
            "errors": [download.error for download in self.finished if download.error],
            "transferred": [(*moved, each.ended) for each in self.finished for moved in each.transferred],
            "received_bytes": sum(body for each in self.finished for _, _, body in each.transferred),
        }

    def _finish(self, descriptor: int, seconds: float) -> None:
        download, _ = self._open.pop(descriptor)
        if download.complete:
            self._ending.add(download)
        else:
            self._poll.unregister(descriptor)
            download.close()
        self.seconds.append(seconds)
        self.finished.append(download)
