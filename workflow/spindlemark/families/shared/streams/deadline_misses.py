"""Who fell behind, from fio's log of one stream: one line per block, with the time at which it was there.

A stream of rate R is due to move byte n at n / R seconds after its start. Its *lag* is how much later that happens:

- for a block that came at time c after n bytes before it: c - n / R, since fio asks for it when it is due;
- at the end of a run of T seconds after which n bytes had come in all: T - n / R.

A player that fills its buffer for B seconds before it starts shows byte n at B + n / R, so its picture stalls
exactly when the lag exceeds B. A recorder whose buffer holds B seconds loses pictures at the same moment. The worst
lag of a run against B is therefore the verdict on a stream. It was chosen over the bytes delivered at the end because a
stream that stood still and caught up has all its bytes, and over fio's latency percentiles because a slow block harms
no viewer while the buffer lasts. fio keeps to an absolute timetable: a job that is late, also for want of processor
time, asks for its next blocks without pause until it has caught up, and that lateness is in the lag too.
"""

from collections.abc import Iterable
from dataclasses import dataclass

_MILLISECOND = 1e-3


@dataclass(frozen=True)
class Stream:
    """What one stream moved, and the most seconds by which it was late."""

    bytes: int
    worst_lag_seconds: float

    def holds(self, buffer_seconds: float) -> bool:
        """Whether a buffer of that many seconds never ran empty (of a reader) or over (of a writer)."""
        return self.worst_lag_seconds <= buffer_seconds


def parse(log: str) -> list[tuple[float, int]]:
    """(seconds since the job's start, bytes) of each block in a log of fio, `log_avg_msec` 0, in its order.

    Its lines are: milliseconds, value, direction, bytes, ... Raises ValueError for anything else.
    """
    blocks = []
    for line in log.splitlines():
        fields = line.split(",")
        blocks.append((int(fields[0]) * _MILLISECOND, int(fields[3])))
    return blocks


def judge(blocks: Iterable[tuple[float, int]], rate: float, run_seconds: float) -> Stream:
    """The stream that `blocks` (seconds, bytes) make at `rate` B/s in a run of `run_seconds`."""
    moved, worst = 0, 0.0
    for seconds, size in blocks:
        worst = max(worst, seconds - moved / rate)
        moved += size
    return Stream(moved, max(worst, run_seconds - moved / rate))
