"""Clients that join and leave during one trial: up to a number in equal steps, and down again in the order in which they came.

Study 004 raised the number of streams up to its limit and lowered it again, and drew processor, memory, disk and network over
time (its figures 3.1 to 3.6).
"""

from typing import Any, NamedTuple

from spindlemark.families.http_streams.server_watch import Load


class Schedule(NamedTuple):
    """When each client joins, in seconds after the start, and how long it stays."""

    joins: list[float]
    stay_seconds: float

    @property
    def seconds(self) -> float:
        """Length of the whole ramp."""
        return self.joins[-1] + self.stay_seconds


def schedule(clients: int, step_seconds: float, longest_seconds: float) -> Schedule:
    """The schedule of `viewers` clients, who stay no longer than `longest_seconds`, in which none can have its whole asset.

    One joins at each step where the time allows that, else several together.
    """
    levels = max(1, min(clients, int(longest_seconds / step_seconds)))
    joins = [step_seconds * (number * levels // clients) for number in range(clients)]
    return Schedule(joins, min(levels * step_seconds, longest_seconds))


def rows(report: dict[str, Any], series: list[tuple[float, Load]]) -> list[dict[str, Any]]:
    """Per second: how many clients played in its middle, and the load. The report and the series have the same clock."""
    spans = [(each["joined_seconds"], each["left_seconds"]) for each in report["clients"]]
    found, before = [], 0.0
    for at, load in series:
        now = at - report["begun"]
        middle = (before + now) / 2
        streams = sum(joined <= middle < left for joined, left in spans)
        found.append({"seconds": round(now, 2), "viewers": streams, **load.row()})
        before = now
    return found
