"""Computed time with a cache, by delay of a request: processor time plus requests times delay.

Both are measured on local storage. Time that a network or server needs in addition to the delay is not included.
"""

from collections.abc import Mapping
from typing import NamedTuple

from spindlemark.analysis.findings.model import Cell

CPU, COUNTS = "cpu_seconds", ("reads_count", "writes_count")
METRICS = (CPU, *COUNTS)


class Line(NamedTuple):
    """Processor time in seconds, its interval if there is one, and the number of requests."""

    seconds: float
    low: float | None
    high: float | None
    requests: float

    def at(self, delay: float) -> float:
        """Return the time in seconds if each request takes `delay` seconds."""
        return self.seconds + self.requests * delay


class Crossing(NamedTuple):
    """Delay in seconds at which two lines cross, and its bounds from the intervals of processor time; below 0: at any delay."""

    delay: float
    low: float | None = None
    high: float | None = None


def line(cells: Mapping[str, Cell]) -> Line | None:
    """Return the line of one configuration from its cells on local storage, by metric; None if one of METRICS is missing."""
    found = [cells[metric] for metric in METRICS if metric in cells]
    if len(found) < len(METRICS):
        return None
    cpu, *counts = found
    return Line(cpu.median, cpu.low, cpu.high, sum(count.median for count in counts))


def crossing(own: Line, other: Line) -> Crossing | None:
    """Return the delay above which `own` is faster than `other`; None if it does not need fewer requests."""
    saved = other.requests - own.requests
    if saved <= 0:
        return None
    delay = (own.seconds - other.seconds) / saved
    if own.low is None or own.high is None or other.low is None or other.high is None:
        return Crossing(delay)
    return Crossing(delay, (own.low - other.high) / saved, (own.high - other.low) / saved)
