"""What a trial says: frames lost, late and shown twice, and how long a picture took from capture to where it is shown.

- *lost*: captured in the seconds that count, or due then, and never shown with a mark that can be read.
- *late*: shown more than two frame intervals after what is usual for this watcher (its median latency): a viewer that shows
  pictures steadily with a buffer of two of them misses it.
- *repeated*: shown a second time.
- jitter: the mean difference between latencies of pictures that follow each other (as RFC 3550 takes it, unsmoothed).

A stream holds while it loses, with what is late, no more than one frame in two seconds: what study 002 still accepts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from spindlemark.families.live_video.stream_setup import Seen, Sent, Setting

LATE_INTERVALS = 2
MOST_MISSED_PER_SECOND = 0.5
_MICROSECONDS = 1e6


@dataclass(frozen=True)
class Watched:
    """What one watcher got of the frames that count; latencies in seconds, in the order of the frames."""

    due: int
    lost: int
    late: int
    repeated: int
    unreadable: int
    latencies: list[float]
    cpu_seconds: float
    rate: int

    @property
    def holds(self) -> bool:
        """Whether it could be watched."""
        return self.lost + self.late <= MOST_MISSED_PER_SECOND * self.due / self.rate


def watched(setting: Setting, seen: Seen, frames: range | None = None, usual: float | None = None) -> Watched:
    """Judge one watcher by the frames that count, or by some of them, whose `usual` latency is known from before."""
    frames = setting.frames if frames is None else frames
    first: dict[int, float] = {}
    counted = [row for row in seen.shown if row[0] in frames]
    for number, captured, shown in counted:
        first.setdefault(number, (shown - captured) / _MICROSECONDS)
    latencies = [first[number] for number in sorted(first)]
    bound = (median(latencies or [0.0]) if usual is None else usual) + LATE_INTERVALS / setting.rate
    return Watched(
        len(frames),
        len(frames) - len(first),
        sum(latency > bound for latency in latencies),
        len(counted) - len(first),
        seen.unreadable,
        latencies,
        seen.cpu_seconds,
        setting.rate,
    )


def captures(setting: Setting, seen: Seen) -> tuple[list[float], list[float]]:
    """Moments of capture and latencies of the frames that count, both in seconds, each frame as it was shown first."""
    first: dict[int, tuple[int, int]] = {}
    for number, captured, shown in seen.shown:
        if number in setting.frames:
            first.setdefault(number, (captured, shown))
    pairs = [first[number] for number in sorted(first)]
    return [c / _MICROSECONDS for c, _ in pairs], [(s - c) / _MICROSECONDS for c, s in pairs]


def share(watched: Iterable[Watched], what: str) -> float:
    """Frames of all watchers that are `what`, over those that were due."""
    every = list(watched)
    return sum(getattr(each, what) for each in every) / sum(each.due for each in every)


def latency(watched: Iterable[Watched], percent: float) -> float:
    """A percentile of the latencies of all watchers, in seconds."""
    return float(np.percentile([value for each in watched for value in each.latencies], percent))


def jitter(watched: Iterable[Watched]) -> float:
    """Mean difference between latencies of successive pictures, in seconds; 0 where no two follow each other."""
    steps = [abs(b - a) for each in watched for a, b in zip(each.latencies, each.latencies[1:], strict=False)]
    return fmean(steps) if steps else 0.0


def on_time(sent: Sequence[Sent]) -> float:
    """Share of the captures that were on time, over all senders."""
    return 1 - sum(each.late_captures for each in sent) / max(1, sum(each.captured for each in sent))
