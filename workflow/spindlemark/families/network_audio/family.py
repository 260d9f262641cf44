"""Family `network_audio`: sound on a network next to video, with one queue for all packets or with sound first.

Study 002 ran Dante and NDI on one network and points to a page about that, without figures. What was decided, and why:

- Dante itself is not measured: its protocol is closed. AES67 is the open standard for the same purpose, which Dante devices speak too;
  its packets (audio_packets.py) go by multicast, eight channels and one millisecond in each. 64 channels are 8,000 packets a second.
- Delays are those of the network alone: the sender stamps a packet when it hands it to the kernel, and the kernel stamps it when
  the receiver's card has it. Both read the same clock, so no synchronisation is part of the result.
- A receiver of sound has a fixed latency, and a later packet is a click. So the share in time for 1 ms and 5 ms is the result.
- Video comes in frames: each is handed to TCP at once, as NDI and Open Media Transport do. A frame of 500 kB occupies a link of
  1 Gbit/s for 4 ms. Only the bytes matter to sound, so nothing is encoded (`live_video` measures that).
- The queue is that of the server's card, where sound and video meet, as in the port of a switch. The kernel combines at most six packets
  of a connection: 64 KiB, its usual limit, is a packet that nothing overtakes for 0.5 ms, and packets each alone need so much processor
  time that the sender of the sound was late itself.
- A clock like PTP's follows the sender by messages of the same priority (clock_exchange.py): its true error is 0.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from spindlemark.config.links import conditions
from spindlemark.core.limits import Seconds
from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.core.process import programs
from spindlemark.core.record import Closed
from spindlemark.families.factors.network_settings import LINK_RATE, MTU
from spindlemark.families.family import Family
from spindlemark.families.network_audio import (
    audio_packets,
    audio_receiver,
    audio_sender,
    clock_exchange,
    delays,
    port_queue,
    video_receiver,
    video_sender,
)
from spindlemark.families.network_audio.audio_metrics import METRICS, TIGHT_SECONDS, WIDE_SECONDS
from spindlemark.families.network_audio.trial_setup import Trial
from spindlemark.families.shared import media
from spindlemark.families.shared.choices import require_known
from spindlemark.families.shared.timed_programs import meeting, waiting
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds.background import Background, background
from spindlemark.testbeds.network import Link
from spindlemark.testbeds.shaping import End

FLOWS = 8  # of eight channels each: what a mixing desk sends
FRAME_BYTES, FRAMES = 500_000, 30  # 120 Mbit/s: about one HD stream of NDI
VIDEO_PORT = 6500
# Streams of video, bytes of a frame, and frames a second; 0 frames a second are as many as the link takes.
TRAFFIC = {
    "none": (0, 0, 0),
    "one-video": (1, FRAME_BYTES, FRAMES),
    "six-videos": (6, FRAME_BYTES, FRAMES),
    "copy": (1, 1 << 20, 0),
}
_LEAD_SECONDS, _END_SECONDS = 0.5, 15.0
# Share of the milliseconds whose packets were sent at most so late. Two milliseconds' packets at once delay each other by 0.2 ms.
_PUNCTUAL, _LATE_SECONDS = 0.9, 0.001
_PACKAGE = "spindlemark.families.network_audio"


class Scale(Closed):
    """How long a trial lasts."""

    warm_seconds: Seconds = Field(default=1.0, description="left out at the beginning, while TCP finds its rate")
    seconds: Seconds = Field(gt=0, description="that count, after those")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Sound, the other traffic, and the queue; raises UserError for an unknown choice."""
    require_known(chosen, {"traffic": TRAFFIC, "queue": port_queue.QUEUES}, "network_audio")
    streams, frame_bytes, frames = TRAFFIC[chosen["traffic"]]
    return {
        "traffic": {
            "name": chosen["traffic"],
            "streams": streams,
            "frame_bytes": frame_bytes,
            "frames_per_second": frames,
        },
        "queue": chosen["queue"],
        "sound": {
            "channels": FLOWS * audio_packets.CHANNELS,
            "packets_per_second": round(FLOWS / audio_packets.SECONDS),
        },
        "trial": {"warm_seconds": scale.warm_seconds, "seconds": scale.seconds},
    }


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds of the trial, of the start of its programs and of the test of the rate; nothing is moved."""
    trial = factors["trial"]
    return 5.0 + trial["warm_seconds"] + trial["seconds"], 0.0


def recipe(settings: Mapping[str, str]) -> list[str]:
    """How a Linux machine between both sends sound first; a switch has a setting for DSCP 46."""
    if settings.get("queue") != port_queue.PRIORITY:
        return []
    return [
        "# on a switch: strict priority for packets with DSCP 46 (EF)",
        "# on a Linux machine between sender and receiver:",
        "tc qdisc replace dev CARD root handle 1: prio",
        "tc filter add dev CARD parent 1: protocol ip u32 match ip dsfield 0xb8 0xfc flowid 1:1",
    ]


def steps(repetition: Repetition) -> None:
    """Send sound next to video for a while, and look at the delay of each packet."""
    link = repetition.testbed
    if not isinstance(link, Link):
        raise Unsupported("sound on a network needs a network: a testbed of kind link or nic")
    if (rate := conditions(link.settings).rate) is None:
        raise Unsupported("without link_rate no packet waits for another: a set has to name one")
    repetition.note({"link.queue_rate": port_queue.set_up(repetition, link, repetition.factors["queue"], rate)})
    with media.scratch(Path(repetition.declared.source_directory)) as folder:
        trial = _trial(repetition, link, folder)
        with repetition.step("play", cold=False):
            _play(repetition, link, trial)
        _measure(repetition, trial)


def _trial(repetition: Repetition, link: Link, folder: Path) -> Trial:
    traffic, given = repetition.factors["traffic"], repetition.factors["trial"]
    frames = traffic["frames_per_second"]
    return Trial(
        folder=str(folder),
        server=link.server.address,
        client=link.client.address,
        flows=FLOWS,
        warm_seconds=given["warm_seconds"],
        seconds=given["seconds"],
        streams=traffic["streams"],
        frame_bytes=traffic["frame_bytes"],
        frame_seconds=1 / frames if frames else 0.0,
        video_port=VIDEO_PORT,
    )


def _play(repetition: Repetition, link: Link, trial: Trial) -> None:
    """Run all programs of the trial; receivers are ready before senders start."""
    folder = Path(trial.folder)
    meeting.prepare(folder, "trial*")
    trial.write()
    with ExitStack() as stack:
        running: list[Background] = []

        def start(end: End, program: str, ready: str) -> None:
            words = [*programs.PYTHON, "-m", f"{_PACKAGE}.{program.replace('-', '_')}", str(folder)]
            running.append(stack.enter_context(background(repetition, link.within(end, words), name=program)))
            waiting.until_files(running, [trial.place(program, ready)], trial.wait_seconds)

        start(link.client, audio_receiver.NAME, "ready")
        if trial.streams:
            start(link.client, video_receiver.NAME, "listening")
            start(link.server, video_sender.NAME, "ready")
        start(link.server, audio_sender.NAME, "ready")
        begin = meeting.begin(folder, _LEAD_SECONDS)
        waiting.sleep_until(begin + trial.all_seconds, running)
        last = clock_exchange.GRACE_SECONDS + _END_SECONDS
        waiting.until_files(running, [trial.place(name, "npy") for name in _names(trial)], last)


def _names(trial: Trial) -> list[str]:
    return [audio_receiver.NAME, audio_sender.NAME, *([video_receiver.NAME] if trial.streams else [])]


def _measure(repetition: Repetition, trial: Trial) -> None:
    first = round(trial.warm_seconds / audio_packets.SECONDS)
    late = trial.seen(audio_sender.NAME)[first:]
    punctual = float((late <= _LATE_SECONDS).mean())
    repetition.require(
        "generator_keeps_up", punctual >= _PUNCTUAL, punctual, _PUNCTUAL, "1",
        "share of the milliseconds whose packets were sent at most 1 ms late",
    )  # fmt: skip
    seen = trial.seen(audio_receiver.NAME)
    try:
        found = delays.of(seen, first)
    except ValueError as error:
        raise Failed(str(error)) from None
    repetition.measure("sound_in_time_ratio", found.in_time(TIGHT_SECONDS))
    repetition.measure("sound_in_time_5ms_ratio", found.in_time(WIDE_SECONDS))
    repetition.measure("sound_delay_p999_seconds", found.exceeded_by(0.001))
    repetition.measure("sound_delay_median_seconds", found.exceeded_by(0.5))
    repetition.measure("sound_lost_ratio", found.lost)
    errors = clock_exchange.errors(trial.seen("clock-sender"), trial.seen("clock-receiver"))
    if len(errors):
        repetition.measure("clock_error_p95_seconds", float(np.quantile(errors, 0.95)))
    else:
        repetition.note({"absent.clock_error_p95_seconds": "no message of the clock was answered"})
    repetition.attachments["delay_milliseconds"] = _quantiles(found)
    if trial.streams:
        _measure_video(repetition, trial)


def _measure_video(repetition: Repetition, trial: Trial) -> None:
    """What the video got: frames that were due in the seconds that count."""
    rows = trial.seen(video_receiver.NAME)
    due, arrived = rows[:, 1] / 1e9, rows[:, 2] / 1e9
    begin = due.min() if len(due) else 0.0
    counted = (due >= begin + trial.warm_seconds) & (arrived < begin + trial.all_seconds + clock_exchange.GRACE_SECONDS)
    if not counted.any():
        raise Failed("no frame of video arrived")
    repetition.measure("video_bytes_per_second", float(counted.sum()) * trial.frame_bytes / trial.seconds)
    repetition.measure("video_frame_p99_seconds", float(np.quantile((arrived - due)[counted], 0.99)))


def _quantiles(found: delays.Delays) -> dict[str, float]:
    shares = {"50 %": 0.5, "90 %": 0.1, "99 %": 0.01, "99.9 %": 0.001, "99.99 %": 0.0001, "100 %": 0.0}
    return {name: round(1000 * found.exceeded_by(share), 4) for name, share in shares.items()}


FAMILY = Family(
    method=1,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=(MTU, LINK_RATE),
    scale=Scale,
    factors=factors,
    recipe=recipe,
)
