"""Family `live_video`: the cost of live video on a network, its latency, and the limits at which it breaks.

Study 002 watched NDI by eye: streams added one by one, loads read from a task manager, dropped frames guessed from a white
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
- Tasks (tasks.py): `play` has a fixed number of watchers. `receivers` searches the largest number of watchers of one stream
  that holds (analysis.py defines that). `streams` adds streams with a watcher each one at a time, and estimates the largest number
  from the curve of missed frames (load_curve.py). `squeeze` narrows the link in steps below what the stream needs, and lets it
  go again (rate_reduction.py). `soak` plays for long and looks for a drift of the latency (drift.py). `outage`, `readdress` and
  `restart` interrupt a stream (interruptions.py).
- The beginning is left out, half a second or more: connections find their rate in it, and the first pictures are lost.
- Sender and watchers run as an unprivileged user (timed_programs/drop_privileges.py). Capture asks for real time before that; whether it is
  granted is in the environment.
"""

import os
from collections.abc import Mapping
from math import log2
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core.declared import Caveat
from spindlemark.core.errors import UserError
from spindlemark.core.limits import Seconds
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors.network_settings import CONGESTION, DELAY, JITTER, LINK_RATE, LOSS, MTU, OFFLOADS
from spindlemark.families.family import Family
from spindlemark.families.live_video import (
    drift,
    interruptions,
    load_curve,
    picture_ring,
    rate_reduction,
    stream_names,
    tasks,
)
from spindlemark.families.live_video.stream_metrics import METRICS
from spindlemark.families.live_video.stream_setup import GRACE_SECONDS
from spindlemark.families.shared import media
from spindlemark.families.shared.codecs import vmx
from spindlemark.families.shared.media import pictures
from spindlemark.harness.repetition import Repetition

__all__ = ["METHOD", "METRICS", "TOOLS", "Scale", "expected", "factors", "recipe", "steps"]

METHOD = 3
FACTORS = (MTU, OFFLOADS, LINK_RATE, DELAY, JITTER, LOSS, CONGESTION)
TOOLS = {
    name: (*programs.PYTHON, "-m", "spindlemark.families.live_video.library_versions", name)
    for name in ("av", "cyomtlib", "libsrt")
}

TASKS = tuple(tasks.STEPS)
INTERRUPTIONS = ("outage", "readdress", "restart")
MOST_WATCHERS = 64
_SEED = 1
_WHERE = "config/experiments/live_video.yaml"
_START_SECONDS = 0.8
# How much one processor sends and receives: pixels per second, between SpeedHQ (124 million, tried) and VMX (300 million).
_PIXELS_PER_PROCESSOR = 7 * 1280 * 720 * 30

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
UNITS = {
    "sent_bytes": "B",
    "seconds": "s",
    "second": "s",
    "latency_seconds": "s",
    "latency_median_seconds": "s",
    "latency_p99_seconds": "s",
    "link_bits_per_second": "bit/s",
}  # columns of the trials, see stream_gates.py


class Scale(Closed):
    """How long trials last, and how far searches go."""

    warm_seconds: Seconds = Field(description="left out at the beginning of each trial")
    seconds: Seconds = Field(description="that count after those")
    stage_seconds: Seconds = Field(description="of each step of the staircase")
    recover_seconds: Seconds = Field(description="after it, with the link wide again")
    soak_seconds: Seconds = Field(default=600.0, description="of the task soak")
    limit_seconds: Seconds = Field(
        default=10.0, description="after an interruption; a stream that shows nothing until then is never shown again"
    )
    most_receivers: int = Field(ge=1, le=MOST_WATCHERS, description="a search for the largest number ends here")
    most_streams: int = Field(ge=1, le=MOST_WATCHERS, description="the same for streams side by side")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Stream, format, content, task and number of receivers, with what the task needs of the scale."""
    known = {"stream", "format", "content", "task", "receivers", "receiver_clock"}
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
        **_receiver_clock(chosen),
    }


def _receiver_clock(chosen: dict[str, str]) -> dict[str, str]:
    """Whether the receiver's clock is slow, a control of the task soak."""
    given = chosen.get("receiver_clock", drift.EXACT)
    if given not in (drift.EXACT, drift.SLOW):
        raise UserError(f"{_WHERE}: receiver_clock: there is no {given!r}", f"there are: {drift.EXACT}, {drift.SLOW}")
    if chosen["task"] == "soak":
        return {"receiver_clock": given}
    if given != drift.EXACT:
        raise UserError(f"{_WHERE}: receiver_clock: the task {chosen['task']} has none", "use it with task: [soak]")
    return {}


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
    if task == "soak":
        return {"warm_seconds": scale.warm_seconds, "seconds": scale.soak_seconds}
    if task in INTERRUPTIONS:
        return {
            "warm_seconds": scale.warm_seconds,
            "limit_seconds": scale.limit_seconds,
            "seconds": interruptions.seconds(task, scale.limit_seconds),
        }
    most = {"receivers": {"most": scale.most_receivers}, "streams": {"most": scale.most_streams}}
    return {"warm_seconds": scale.warm_seconds, "seconds": scale.seconds} | most.get(task, {})


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds of the trials, with the start of sender and watchers."""
    trial = factors["trial"]
    each = _START_SECONDS + trial["warm_seconds"] + trial["seconds"] + GRACE_SECONDS
    return 1.2 + each * _trials(factors), 0.0


def _trials(factors: dict[str, Any]) -> float:
    """How many trials there will be: a guess for streams that are added one at a time, from this machine's processors."""
    trial, form = factors["trial"], factors["format"]
    if "most" not in trial:
        return 1
    if factors["task"] == "receivers":
        return 1 + log2(trial["most"])
    held = (os.cpu_count() or 1) * _PIXELS_PER_PROCESSOR / (form["width"] * form["height"] * form["rate"])
    return min(trial["most"], int(held) + 1 + load_curve.BEYOND)


def most_repetitions(factors: Mapping[str, Any]) -> int | None:
    """A soak runs once: it lasts half an hour, and its interval comes from within."""
    return 1 if factors["task"] == "soak" else None


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
        tasks.STEPS[repetition.factors["task"]](repetition, folder)


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
    most_repetitions=most_repetitions,
    caveats=CAVEATS,
    units=UNITS,
)
