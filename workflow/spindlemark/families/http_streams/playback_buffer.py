"""A client's buffer: filled once, then drained at the rate of the asset. Empty before the asset's end, it is a stall.

A client starts when `start` bytes are there, holds at most `most`, and after a stall waits for `start` bytes again, as
players do. Needs the standard library alone. Times are seconds of one monotonic clock.

`lowest` is the least fill that the buffer would have had without any pause: below 0, bytes were missing.
"""

from dataclasses import dataclass


@dataclass
class PlaybackBuffer:
    """The state of one client of an asset of `total` bytes at `rate` bytes per second, who asked for it at `begun`."""

    rate: float
    start: int
    most: int
    total: int
    begun: float
    received: int = 0
    stalls: int = 0
    stalled_seconds: float = 0.0
    startup_seconds: float | None = None
    lowest: float | None = None  # bytes; None: it has not started
    _played: float = 0.0  # up to `_since`
    _since: float | None = None  # None: it has stalled
    _stopped: float = 0.0  # when it last stalled

    def level(self, now: float) -> float:
        """Bytes in the buffer; never below 0."""
        return max(0.0, self.received - self._position(now))

    def room(self, now: float) -> int:
        """Bytes that may still come in before the buffer is full."""
        return min(int(self.most - self.level(now)), self.total - self.received)

    def add(self, size: int, now: float) -> None:
        """Bytes came in."""
        self._sink(now)
        self.settle(now)
        self.received += size
        if self._since is None and (self.level(now) >= self.start or self.received == self.total):
            self._play(now)

    def settle(self, now: float) -> None:
        """Notice a buffer that ran empty by now: at the moment in which it did."""
        if self._since is None or self._unclipped(now) <= self.received or self.received == self.total:
            return
        self._stopped = self._since + (self.received - self._played) / self.rate
        self._played, self._since = float(self.received), None
        self.stalls += 1

    def end(self, now: float) -> None:
        """The client stops: a standstill that lasts counts up to now."""
        self._sink(now)
        self.settle(now)
        if self._since is None and self.startup_seconds is not None:
            self.stalled_seconds += now - self._stopped

    def _sink(self, now: float) -> None:
        """Note what is left just before bytes come in, or at the end; with the whole asset there, nothing can be missing."""
        if self.startup_seconds is not None and self.lowest is not None and self.received < self.total:
            due = self.rate * (now - self.begun - self.startup_seconds)
            self.lowest = min(self.lowest, self.received - due)

    def _play(self, now: float) -> None:
        if self.startup_seconds is None:
            self.startup_seconds = now - self.begun
            self.lowest = float(self.received)
        else:
            self.stalled_seconds += now - self._stopped
        self._since = now

    def _unclipped(self, now: float) -> float:
        return self._played + (self.rate * (now - self._since) if self._since is not None else 0.0)

    def _position(self, now: float) -> float:
        """Byte that is shown; no further than what is there."""
        return min(self._unclipped(now), float(self.received))
