"""What a cache takes over the delay of a request, computed: processor seconds, and requests times delay.

Both are measured where requests take no time. What a network or a server needs for a request besides its delay is not in it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from spindlemark.analysis.findings.model import Cell

CPU, COUNTS = "cpu_seconds", ("reads_count", "writes_count")
METRICS = (CPU, *COUNTS)


class Line(NamedTuple):
    """Processor seconds with their interval, where there is one, and how many requests there are."""

    seconds: float
    low: float | None
    high: float | None
    requests: float

    def at(self, delay: float) -> float:
        """Seconds where each request takes `delay` seconds."""
        return self.seconds + self.requests * delay


class Crossing(NamedTuple):
    """Seconds of delay, with what the two intervals of processor seconds leave, where there are such; below 0: at any delay."""

    delay: float
    low: float | None = None
    high: float | None = None


def line(cells: Mapping[str, Cell]) -> Line | None:
    """That of one configuration over storage without a delay, from its cells by metric; None where one of METRICS is missing."""
    found = [cells[metric] for metric in METRICS if metric in cells]
    if len(found) < len(METRICS):
        return None
    cpu, *counts = found
    return Line(cpu.median, cpu.low, cpu.high, sum(count.median for count in counts))


def crossing(own: Line, other: Line) -> Crossing | None:
    """From which delay on `own` takes less time than `other`; None where it does not ask less often."""
    saved = other.requests - own.requests
    if saved <= 0:
        return None
    delay = (own.seconds - other.seconds) / saved
    if own.low is None or own.high is None or other.low is None or other.high is None:
        return Crossing(delay)
    return Crossing(delay, (own.low - other.high) / saved, (own.high - other.low) / saved)
