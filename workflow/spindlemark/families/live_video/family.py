"""Family `live_video`: the cost of live video on a network, its latency, and the limits at which it breaks.

Source 002 watched NDI by eye: streams added one by one, loads read from a task manager, dropped frames guessed from a white
line that moves. Here each picture carries its number and the time of its capture (frame_mark.py), and every watcher reads
both after decoding, so that lost, late and repeated frames and the latency are counted and not guessed. What was
decided, and why:

- NDI itself is not measured: the licence of its kit does not allow it. SpeedHQ is the codec family that NDI came from,
  here by FFmpeg over plain TCP; Open Media Transport (`vmx-omt`) is an open system made for the same purpose,
  codec and transport in one.
- A stream is encoded once and sent to each watcher over a connection of its own, as NDI and Open Media Transport do. Each
  watcher is a process that receives, decodes and reads the mark; nothing is drawn on a screen.
- Capture never waits. A picture that the encoder has not taken when the next one is due is lost; so is a packet that waits
  behind two others for a slow watcher. Only that keeps a live stream live.
- Sender and watchers share this machine's processors, so that several watchers slow each other down as they would not on
  computers of their own. Bytes and losses of a narrow link carry over to other machines, processor time does in its order.
- Tasks: `play` has a fixed number of watchers. `receivers` and `streams` look for the largest number of watchers of one stream,
  or of streams with a watcher each, that holds (analysis.py defines that). Task `squeeze` narrows the link in steps
  below what the stream needs, and lets it go again (rate_reduction.py).
- The beginning is left out, half a second or more: connections find their rate in it, and the first pictures are lost.
- Sender and watchers run as an unprivileged user (drop_privileges.py). Capture asks for real time before that; whether it is
  granted is in the environment.
"""

from collections.abc import Mapping
from math import log2
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core.declared import Caveat
from spindlemark.core.errors import UserError
from spindlemark.core.limits import Seconds
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors.network_settings import CONGESTION, DELAY, JITTER, LINK_RATE, LOSS, MTU, OFFLOADS
from spindlemark.families.family import Family
from spindlemark.families.live_video import analysis, picture_ring, rate_reduction, stream_gates, stream_names
from spindlemark.families.live_video.live_trial import Played, play
from spindlemark.families.live_video.stream_metrics import METRICS
from spindlemark.families.live_video.stream_setup import GRACE_SECONDS, Setting
from spindlemark.families.shared import media
from spindlemark.families.shared.codecs import vmx
from spindlemark.families.shared.media import pictures
from spindlemark.families.shared.streams.search import Found, Tried, search
from spindlemark.harness.repetition import Repetition

__all__ = ["METHOD", "METRICS", "TOOLS", "Scale", "expected", "factors", "recipe", "steps"]

METHOD = 2
FACTORS = (MTU, OFFLOADS, LINK_RATE, DELAY, JITTER, LOSS, CONGESTION)
TOOLS = {
    name: (*programs.PYTHON, "-m", "spindlemark.families.live_video.library_versions", name)
    for name in ("av", "cyomtlib", "libsrt")
}

TASKS = ("play", "receivers", "streams", "squeeze")
PORT, MOST_WATCHERS = 6400, 64
_SEED = 1
_WHERE = "config/experiments/live_video.yaml"
_START_SECONDS = 0.8
_FIRST = {
    "receivers": 2,
    "streams": 4,
}  # that searches try: most machines feed a few streams, and 2 receivers are on the curve

CAVEATS = (
    Caveat(
        text="Each trial, and each step of a staircase, lasted {seconds:g} s ({frames:.0f} frames): effects on fewer than one "
        "frame in a hundred are hardly visible. Longer profiles measure longer.",
        values={
            "seconds": "trial.stage_seconds or trial.seconds",
            "frames": "(trial.stage_seconds or trial.seconds) * format.rate",
        },
        below={"frames": 500},
    ),
)
UNITS = {"sent_bytes": "B"}  # columns of the trials, see stream_gates.py


class Scale(Closed):
    """How long trials last, and how far searches go."""

    warm_seconds: Seconds = Field(description="left out at the beginning of each trial")
    seconds: Seconds = Field(description="that count after those")
    stage_seconds: Seconds = Field(description="of each step of the staircase")
    recover_seconds: Seconds = Field(description="after it, with the link wide again")
    most_receivers: int = Field(ge=1, le=MOST_WATCHERS, description="a search for the largest number ends here")
    most_streams: int = Field(ge=1, le=MOST_WATCHERS, description="the same for streams side by side")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Stream, format, content, task and number of receivers, with what the task needs of the scale."""
    known = {"stream", "format", "content", "task", "receivers"}
    if unknown := sorted(chosen.keys() - known):
        raise UserError(f"{_WHERE}: unknown factor {unknown[0]}", f"there are: {', '.join(sorted(known))}")
    if missing := sorted({"stream", "format", "content", "task"} - chosen.keys()):
        raise UserError(f"{_WHERE}: sets: factors: {missing[0]}: is missing", f"name at least one {missing[0]}")
    task, content = chosen["task"], chosen["content"]
    if task not in TASKS:
        raise UserError(f"{_WHERE}: no task is called {task!r}", f"there are: {', '.join(TASKS)}")
    if content not in pictures.CONTENTS:
        raise UserError(f"{_WHERE}: no content is called {content!r}", f"there are: {', '.join(pictures.CONTENTS)}")
    return {
        "stream": stream_names.stream(chosen["stream"], _WHERE),
        "format": stream_names.picture_format(chosen["format"], _WHERE),
        "content": content,
        "task": task,
        "receivers": _receivers(chosen),
        "trial": _trial(task, scale),
    }


def _receivers(chosen: dict[str, str]) -> int:
    given = chosen.get("receivers", "1")
    if not given.isdecimal() or not 1 <= int(given) <= MOST_WATCHERS:
        raise UserError(f"{_WHERE}: receivers: {given!r} is none", f"write a number from 1 to {MOST_WATCHERS}")
    if given != "1" and chosen["task"] != "play":
        raise UserError(f"{_WHERE}: receivers: the task {chosen['task']} has a number of its own", "leave it out")
    return int(given)


def _trial(task: str, scale: Scale) -> dict[str, Any]:
    """The scale's part that changes what the task measures."""
    if task == "squeeze":
        return {
            "warm_seconds": scale.warm_seconds,
            "stage_seconds": scale.stage_seconds,
            "seconds": rate_reduction.seconds(scale.stage_seconds, scale.recover_seconds),
        }
    most = {"receivers": {"most": scale.most_receivers}, "streams": {"most": scale.most_streams}}
    return {"warm_seconds": scale.warm_seconds, "seconds": scale.seconds} | most.get(task, {})


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds of the trials, with the start of sender and watchers."""
    trial = factors["trial"]
    each = _START_SECONDS + trial["warm_seconds"] + trial["seconds"] + GRACE_SECONDS
    return 1.2 + each * (1 + log2(trial["most"]) if "most" in trial else 1), 0.0


def recipe(settings: Mapping[str, str]) -> list[str]:
    """What sends CAMERA, coded as in the trials, which put a packet's length before it where NUT has a header."""
    if settings.get("stream.codec") == "vmx":
        return vmx.sending(vmx.LIVE, settings.get("format.rate", "FRAME_RATE"))
    try:
        from spindlemark.families.live_video import live_codecs, stream_ends
    except (ImportError, OSError):
        return []
    codec = live_codecs.CODECS.get(settings.get("stream.codec", ""))
    if codec is None:
        return []
    target = {
        "tcp": "'tcp://0.0.0.0:PORT?listen=1'",
        "srt": f"'srt://0.0.0.0:PORT?mode=listener&latency={round(1e6 * stream_ends.SRT_LATENCY_SECONDS)}'",
    }
    return [f"ffmpeg -i CAMERA {' '.join(codec.words)} -f nut {target[settings['stream.transport']]}"]


def steps(repetition: Repetition) -> None:
    """Do the experiment's task with one kind of stream."""
    if reason := stream_names.lacking(repetition.factors["stream"]):
        raise Unsupported(reason)
    with media.scratch(Path(repetition.declared.source_directory)) as folder:
        form = repetition.factors["format"]
        picture_ring.draw(folder, repetition.factors["content"], form["width"], form["height"], _SEED)
        {"play": _play, "receivers": _most_receivers, "streams": _most_streams, "squeeze": _reduce_rate}[
            repetition.factors["task"]
        ](repetition, folder)


def _setting(repetition: Repetition, folder: Path, number: int, receivers: int) -> Setting:
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
    )


def _play(repetition: Repetition, folder: Path) -> None:
    """One stream with so many watchers as were asked for."""
    receivers = repetition.factors["receivers"]
    with repetition.step("play", cold=False):
        played = play(repetition, [_setting(repetition, folder, 1, receivers)])
        stream_gates.require_sound(repetition, played)
    watched, sent = played.watched, played.sent[0]
    due = len(played.settings[0].frames)
    if not any(each.latencies for each in watched):
        raise Failed(f"no watcher was shown a single one of {due} frames")
    for what in ("lost", "late", "repeated"):
        repetition.measure(f"frames_{what}_ratio", analysis.share(watched, what))
    repetition.measure("frames_in_time_ratio", 1 - analysis.share(watched, "lost") - analysis.share(watched, "late"))
    shown = sum(len(each.latencies) for each in watched)
    repetition.measure("stream_bits_per_second", 8 * played.sent_bytes / shown * repetition.factors["format"]["rate"])
    repetition.measure("frame_latency_median_seconds", analysis.latency(watched, 50))
    repetition.measure("frame_latency_p99_seconds", analysis.latency(watched, 99))
    repetition.measure("frame_latency_jitter_seconds", analysis.jitter(watched))
    repetition.measure("sender_frame_cpu_seconds", sent.cpu_seconds / (due - sent.skipped))
    repetition.measure("receiver_frame_cpu_seconds", sum(each.cpu_seconds for each in watched) / shown)
    stream_gates.keep(repetition, [played])


def _most_receivers(repetition: Repetition, folder: Path) -> None:
    found = _largest(repetition, lambda number: [_setting(repetition, folder, 1, number)])
    repetition.measure("receivers_sustained_count", found.sustained)
    repetition.measure("receivers_failed_count", found.failed or 0)


def _most_streams(repetition: Repetition, folder: Path) -> None:
    found = _largest(repetition, lambda number: [_setting(repetition, folder, n, 1) for n in range(1, number + 1)])
    repetition.measure("live_streams_sustained_count", found.sustained)
    repetition.measure("live_streams_failed_count", found.failed or 0)


def _largest(repetition: Repetition, settings: Any) -> Found:
    """The largest number that holds. A capture that was late, where one number held before, is too much for the machine."""
    trials: list[Played] = []

    def tried(number: int) -> Tried:
        with repetition.step(f"{repetition.factors['task']}-{number}", cold=False):
            played = play(repetition, settings(number))
        trials.append(played)
        in_time = 1 - analysis.share(played.watched, "lost") - analysis.share(played.watched, "late")
        return Tried(played.holds and played.on_time >= stream_gates.ON_TIME, number * in_time)

    found = search(tried, _FIRST[repetition.factors["task"]], repetition.factors["trial"]["most"])
    slow = [p for p in trials if not p.holds or p.on_time < stream_gates.ON_TIME]
    what = {"receivers": "receivers", "streams": "live_streams"}[repetition.factors["task"]]
    repetition.note(
        {
            f"{what}.limited_by": "most_streams"
            if found.failed is None
            else "sender"
            if all(p.on_time < stream_gates.ON_TIME or any(s.skipped for s in p.sent) for p in slow)
            else "receivers"
        }
    )
    stream_gates.keep(repetition, trials)
    return found


def _reduce_rate(repetition: Repetition, folder: Path) -> None:
    """One stream and one watcher on a link that gets narrower."""
    given = _setting(repetition, folder, 1, 1)
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


def _measure_if(repetition: Repetition, metric: str, value: float | None, why: str) -> None:
    if value is None:
        repetition.note({f"absent.{metric}": why})
    else:
        repetition.measure(metric, value)


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    tools=TOOLS,
    recipe=recipe,
    caveats=CAVEATS,
    units=UNITS,
)
