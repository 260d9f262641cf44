"""The largest number of receivers or streams that holds: trials with several numbers, and what limited them."""

from collections.abc import Callable, Sequence
from pathlib import Path

from spindlemark.core import space
from spindlemark.families.live_video import analysis, load_curve, picture_ring, stream_gates
from spindlemark.families.live_video.live_trial import Played, play
from spindlemark.families.live_video.stream_setup import Setting
from spindlemark.families.shared.streams.search import Found, Tried, search
from spindlemark.harness.repetition import Repetition

CENSORED = "most_streams"  # all that was tried held; see analysis/findings/evidence.py
_FIRST_RECEIVERS = 2
_BUSY, _FULL = 0.9, 0.9  # shares of all processors, and of the link's rate, from which on they are the limit
_PROGRAM_BYTES = 128 * 1024 * 1024  # of memory that a sender or a watcher takes in addition to its pictures
Settings = Callable[[int], Sequence[Setting]]


def searched(repetition: Repetition, settings: Settings, what: str) -> Found:
    """Search the largest number that holds; a trial with late captures does not hold."""
    trials: dict[int, Played] = {}

    def tried(number: int) -> Tried:
        played = trials[number] = _trial(repetition, settings, number)
        in_time = 1 - analysis.share(played.watched, "lost") - analysis.share(played.watched, "late")
        return Tried(played.holds and played.on_time >= stream_gates.ON_TIME, number * in_time)

    found = search(tried, _FIRST_RECEIVERS, repetition.factors["trial"]["most"])
    _note(repetition, what, found, trials, CENSORED)
    return found


def added(repetition: Repetition, folder: Path, settings: Settings) -> Found:
    """Add streams one at a time, beyond the first number that misses frames, and estimate from the curve of them."""
    trials: dict[int, Played] = {}

    def missed(number: int) -> float | None:
        if number * _bytes(folder) > space.capacity(folder)[0]:
            return None
        trials[number] = _trial(repetition, settings, number)
        return missed_per_second(trials[number])

    most = repetition.factors["trial"]["most"]
    found, last = load_curve.add_one_by_one(missed, most)
    _note(repetition, "live_streams", found, trials, CENSORED if last == most else "memory")
    return found


def missed_per_second(played: Played) -> float:
    """Frames per second that the worst stream missed: lost or late; where capture was not on time, also its late frames."""
    rate = played.settings[0].rate
    worst = max((each.lost + each.late) / each.due * each.rate for each in played.watched)
    return worst if played.on_time >= stream_gates.ON_TIME else max(worst, (1 - played.on_time) * rate)


def limit(played: Played, link_rate: int | None) -> str:
    """What kept the streams of a trial from holding: the link, the processors, a sender or the receivers."""
    if link_rate and 8 * played.sent_bytes / played.settings[0].seconds >= _FULL * link_rate:
        return "link"
    if played.busy >= _BUSY:
        return "processor"
    if played.on_time < stream_gates.ON_TIME or any(sent.skipped for sent in played.sent):
        return "sender"
    return "receivers"


def _trial(repetition: Repetition, settings: Settings, number: int) -> Played:
    with repetition.step(f"{repetition.factors['task']}-{number}", cold=False):
        return play(repetition, settings(number))


def _note(repetition: Repetition, what: str, found: Found, trials: dict[int, Played], otherwise: str) -> None:
    """Record what ended the search; `otherwise`, where no number failed. Memory is one more reason for "at least so many"."""
    rate = repetition.testbed.present.rate
    reason = otherwise if found.failed is None else limit(trials[found.failed], rate)
    repetition.note({f"{what}.limited_by": CENSORED if found.failed is None else reason, "live.limited_by": reason})
    stream_gates.keep(repetition, [trials[number] for number in sorted(trials)])


def _bytes(folder: Path) -> int:
    """Memory that a stream takes: the pictures of its sender, and two programs."""
    return (folder / picture_ring.NAME).stat().st_size + 2 * _PROGRAM_BYTES
