"""The tasks of live video: what is played for each of them, and which numbers it gives."""

from collections.abc import Callable
from pathlib import Path

from spindlemark.core.outcome import Failed
from spindlemark.families.live_video import (
    analysis,
    drift,
    interruptions,
    largest_number,
    rate_reduction,
    stream_gates,
)
from spindlemark.families.live_video.live_trial import Played, play
from spindlemark.families.live_video.stream_setup import Setting
from spindlemark.harness.repetition import Repetition

PORT = 6400
_WAIT_SECONDS = 30.0  # for senders and watchers to be ready, and as much again for each dozen of streams
_DOZEN = 12


def setting(repetition: Repetition, folder: Path, number: int = 1, receivers: int = 1, streams: int = 1) -> Setting:
    """The settings of stream `number` of so many `streams`, each with so many `receivers`."""
    stream, form, trial = (repetition.factors[name] for name in ("stream", "format", "trial"))
    return Setting(
        name=f"stream-{number}",
        folder=str(folder),
        codec=stream["codec"],
        transport=stream["transport"],
        width=form["width"],
        height=form["height"],
        rate=form["rate"],
        warm_seconds=trial["warm_seconds"],
        seconds=trial["seconds"],
        address=repetition.testbed.server.address,
        port=PORT + number,
        watchers=receivers,
        wait_seconds=_WAIT_SECONDS * (1 + streams * receivers // _DOZEN),
    )


def _play(repetition: Repetition, folder: Path) -> None:
    """One stream with so many watchers as were asked for."""
    receivers = repetition.factors["receivers"]
    with repetition.step("play", cold=False):
        played = play(repetition, [setting(repetition, folder, receivers=receivers)])
        stream_gates.require_sound(repetition, played)
    watched, sent = played.watched, played.sent[0]
    due = len(played.settings[0].frames)
    _require_shown(played)
    for what in ("lost", "late", "repeated"):
        repetition.measure(f"frames_{what}_ratio", analysis.share(watched, what))
    repetition.measure("frames_in_time_ratio", 1 - analysis.share(watched, "lost") - analysis.share(watched, "late"))
    shown = sum(len(each.latencies) for each in watched)
    repetition.measure("stream_bits_per_second", 8 * played.sent_bytes / shown * repetition.factors["format"]["rate"])
    load = stream_gates.load_of(played)
    for metric in ("link_bits_per_second", "senders_cpu_ratio", "receivers_cpu_ratio"):
        repetition.measure(metric, load[metric])
    repetition.measure("frame_latency_median_seconds", analysis.latency(watched, 50))
    repetition.measure("frame_latency_p99_seconds", analysis.latency(watched, 99))
    repetition.measure("frame_latency_jitter_seconds", analysis.jitter(watched))
    repetition.measure("sender_frame_cpu_seconds", sent.cpu_seconds / (due - sent.skipped))
    repetition.measure("receiver_frame_cpu_seconds", sum(each.cpu_seconds for each in watched) / shown)
    stream_gates.keep(repetition, [played])


def _most_receivers(repetition: Repetition, folder: Path) -> None:
    found = largest_number.searched(
        repetition, lambda number: [setting(repetition, folder, receivers=number)], "receivers"
    )
    repetition.measure("receivers_sustained_count", found.sustained)
    repetition.measure("receivers_failed_count", found.failed or 0)


def _most_streams(repetition: Repetition, folder: Path) -> None:
    found = largest_number.added(
        repetition,
        folder,
        lambda number: [setting(repetition, folder, n, streams=number) for n in range(1, number + 1)],
    )
    repetition.measure("live_streams_sustained_count", found.sustained)
    repetition.measure("live_streams_failed_count", found.failed or 0)


def _reduce_rate(repetition: Repetition, folder: Path) -> None:
    """One stream and one watcher on a link that gets narrower."""
    given = setting(repetition, folder)
    with repetition.step("squeeze", cold=False):
        played, found = rate_reduction.reduced(repetition, given, repetition.factors["trial"]["stage_seconds"])
        stream_gates.require_sound(repetition, played, whole_link=False)
    for share, name in ((0.75, "three_quarters"), (0.5, "half")):
        repetition.measure(f"squeezed_{name}_ratio", max(0.0, 1 - found.lost[share] - found.late[share]))
        repetition.measure(f"squeezed_{name}_lost_ratio", found.lost[share])
        repetition.measure(f"squeezed_{name}_late_ratio", found.late[share])
    _measure_if(
        repetition,
        "link_needed_bits_per_second",
        found.needed and 8 * found.needed,
        "it held at none of the rates tried",
    )
    _measure_if(repetition, "recovery_seconds", found.recovery_seconds, "it did not come back within the trial")
    repetition.attachments["staircase"] = rate_reduction.listed(found)
    stream_gates.keep(repetition, [played])


def _soak(repetition: Repetition, folder: Path) -> None:
    """One stream for a long time; the receiver's clock is slow by one frame in the trial where that is asked for."""
    given = setting(repetition, folder)
    if repetition.factors["receiver_clock"] == drift.SLOW:
        given = given.model_copy(update={"clock_rate": drift.slow_rate(given.seconds, given.rate)})
    with repetition.step("soak", cold=False):
        played = play(repetition, [given])
        stream_gates.require_sound(repetition, played)
    _require_shown(played)
    captured, latencies = analysis.captures(given, played.seen[0][0])
    try:
        medians = drift.spans(captured, latencies)
    except ValueError as error:
        raise Failed(f"{error}: the trial is too short, or too much of it was lost") from None
    found = drift.drift(medians)
    repetition.measure("latency_drift_minute_seconds", abs(found.slope))
    repetition.measure("latency_drift_most_minute_seconds", max(abs(found.low), abs(found.high)))
    repetition.measure("latency_drift_detected_ratio", float(found.detected))
    for what in ("lost", "late"):
        repetition.measure(f"frames_{what}_ratio", analysis.share(played.watched, what))
    repetition.attachments["drift"] = drift.listed(found)
    repetition.attachments["latencies"] = [
        {"second": round(s.second, 3), "latency_seconds": round(s.latency, 6)} for s in medians
    ]
    stream_gates.keep(repetition, [played])


def _interrupt(repetition: Repetition, folder: Path) -> None:
    """One stream, interrupted once."""
    task, limit = repetition.factors["task"], repetition.factors["trial"]["limit_seconds"]
    given = setting(repetition, folder).model_copy(update={"silent_seconds": interruptions.SILENT_SECONDS})
    with repetition.step(task, cold=False):
        played, ended = interruptions.interrupted(repetition, given, task, limit)
        stream_gates.require_sound(repetition, played, whole_link=False, restarted=task == "restart")
    found = interruptions.shown_again(played.seen[0][0], ended, limit)
    repetition.measure("shown_again_ratio", float(found is not None))
    _measure_if(repetition, "shown_again_seconds", found, f"never: no picture was shown within {limit:g} s")
    stream_gates.keep(repetition, [played])


def _require_shown(played: Played) -> None:
    if not any(each.latencies for each in played.watched):
        raise Failed(f"no watcher was shown a single one of {len(played.settings[0].frames)} frames")


def _measure_if(repetition: Repetition, metric: str, value: float | None, why: str) -> None:
    if value is None:
        repetition.note({f"absent.{metric}": why})
    else:
        repetition.measure(metric, value)


STEPS: dict[str, Callable[[Repetition, Path], None]] = {
    "play": _play,
    "receivers": _most_receivers,
    "streams": _most_streams,
    "squeeze": _reduce_rate,
    "soak": _soak,
    "outage": _interrupt,
    "readdress": _interrupt,
    "restart": _interrupt,
}
