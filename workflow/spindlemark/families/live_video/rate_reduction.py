"""Rate reduction: a link narrower in steps than a stream needs, and wide again; frames lost, and the time to recover.

First the stream runs without a limit, which shows its rate and its usual latency. Then the link is held to
shares of that, the largest first, and let go at the end. The beginning of each step is left out: changing a rate throws
away what waits in the queue, which is the harness's doing.
"""

from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from spindlemark.families.live_video import analysis
from spindlemark.families.live_video.live_trial import Meanwhile, Played, play
from spindlemark.families.live_video.stream_setup import Seen, Setting
from spindlemark.harness.repetition import Repetition

SHARES = (1.5, 1.25, 1.0, 0.75, 0.5)  # of the bytes per second that it needs when nothing holds it back
WELL_SECONDS = 0.5  # without a frame lost or late: it has come back
_LEFT_OUT = 0.2  # of a step
_BITS = 8


@dataclass(frozen=True)
class Step:
    """A stretch of time in CLOCK_MONOTONIC with the link held to `share` of the free rate; None: not held."""

    share: float | None
    begin: float
    end: float


@dataclass(frozen=True)
class Reduced:
    """Pictures `lost` and `late` per share of the `free` rate (B/s), over those that were due, whether each held, and the
    seconds to come back (None: never).
    """

    free: float
    lost: dict[float, float]
    late: dict[float, float]
    held: dict[float, bool]
    recovery_seconds: float | None

    @property
    def needed(self) -> float | None:
        """The narrowest link, in B/s, at which it held and at every wider one too; None where not even the widest did."""
        enough = None
        for share in SHARES:
            if not self.held[share]:
                break
            enough = share * self.free
        return enough


def seconds(stage_seconds: float, recover_seconds: float) -> float:
    """How long it lasts after the warm-up."""
    return (1 + len(SHARES)) * stage_seconds + recover_seconds


def reduced(repetition: Repetition, given: Setting, stage_seconds: float) -> tuple[Played, Reduced]:
    """Run the staircase with the one stream of `given`, which lasts as long as `seconds` says."""
    steps: list[Step] = []
    rates: list[float] = []

    def during(trial: Meanwhile) -> None:
        link, wide, begin = repetition.testbed, repetition.testbed.present, trial.begin
        at = begin + given.warm_seconds
        before = link.carried()
        for share in (None, *SHARES):
            if share is not None:
                link.shape(replace(wide, rate=round(share * rates[0] * _BITS)))
            trial.sleep_until(at + stage_seconds)
            steps.append(Step(share, at, at + stage_seconds))
            if share is None:
                rates.append(link.carried().since(before).server_bytes / stage_seconds)
            at += stage_seconds
        link.shape(wide)
        steps.append(Step(None, at, begin + given.warm_seconds + given.seconds))

    played = play(repetition, [given], during)
    return played, read(given, played.seen[0][0], played.begin, steps, rates[0])


def read(given: Setting, seen: Seen, begin: float, steps: list[Step], free: float) -> Reduced:
    """What the one watcher saw on the way down `steps`, the first and last of which are free."""
    usual = median(analysis.watched(given, seen, _frames(given, begin, steps[0])).latencies or [0.0])
    each = {
        step.share: analysis.watched(given, seen, _frames(given, begin, step), usual)
        for step in steps
        if step.share is not None
    }
    return Reduced(
        free,
        lost={share: w.lost / w.due for share, w in each.items()},
        late={share: w.late / w.due for share, w in each.items()},
        held={share: w.holds for share, w in each.items()},
        recovery_seconds=_recovery(given, seen, begin, steps[-1], usual),
    )


def _frames(given: Setting, begin: float, step: Step) -> range:
    """Those that were captured in a step, without its beginning."""
    start = step.begin + _LEFT_OUT * (step.end - step.begin)
    return range(round((start - begin) * given.rate), round((step.end - begin) * given.rate))


def _recovery(given: Setting, seen: Seen, begin: float, last: Step, usual: float) -> float | None:
    """Seconds from letting go until the first frame of a stretch in which none was lost or late; None: it never came."""
    bound = usual + analysis.LATE_INTERVALS / given.rate
    well = {number for number, captured, shown in seen.shown if (shown - captured) / 1e6 <= bound}
    start, end = (round((moment - begin) * given.rate) for moment in (last.begin, last.end))
    stretch = round(WELL_SECONDS * given.rate)
    for number in range(start, end - stretch + 1):
        if well.issuperset(range(number, number + stretch)):
            return max(1, number - start) / given.rate
    return None


def listed(found: Reduced) -> dict[str, Any]:
    """The staircase as it is kept in the record."""
    return {
        "free_bytes_per_second": round(found.free),
        "steps": [
            {
                "share": share,
                "lost_ratio": round(found.lost[share], 4),
                "late_ratio": round(found.late[share], 4),
                "holds": found.held[share],
            }
            for share in SHARES
        ],
        "recovery_seconds": found.recovery_seconds,
    }
