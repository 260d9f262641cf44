"""Metrics of the tasks of editors on a share. Processor time is that of client and server together."""

from spindlemark.core.metric import OF_MANY, Metric
from spindlemark.families.network_share.editing_client import BUFFER_FRAMES, FRAME_RATE

PLAYED_MBIT = (25, 100)  # Mbit/s of the film that one client plays
MULTICAM_MBIT, MULTICAM_STREAMS = 200, 3  # of each 4K stream; streams at once
RECORDED_MBIT = 100  # of the recording, and of the film that is played meanwhile
_LATE = f"frames that were not there {BUFFER_FRAMES} frames ({BUFFER_FRAMES * 1000 // FRAME_RATE} ms) after their turn"
_CHANCE = "a frame is late when a busy processor answers late, which is chance: most repetitions have none"
_SECOND = "user and system time of both sides for each second of film"


def late(words: str, title: str) -> Metric:
    """The metric of late frames."""
    return Metric(
        title=f"Late frames: {title}",
        unit="1",
        kind="count",
        better="lower",
        by_chance=_CHANCE,
        description=f"{_LATE}: {words}",
    )


def cpu(step: str, per: str, title: str) -> Metric:
    """The metric of processor time of a step."""
    return Metric(
        title=f"Processor time: {title}",
        unit="s",
        step=f"{step}_cpu",
        work="cpu",
        better="lower",
        shortest_seconds=OF_MANY,
        description=per,
    )


def _seconds(step: str, title: str, words: str, shortest: float | None = None) -> Metric:
    return Metric(title=title, unit="s", step=step, better="lower", shortest_seconds=shortest, description=words)


def _metrics() -> dict[str, Metric]:
    found: dict[str, Metric] = {}
    for rate in PLAYED_MBIT:
        title = f"play {rate} Mbit/s"
        found[f"play_{rate}_late_count"] = late(f"one client plays a film of {rate} Mbit/s", title)
        found[f"play_{rate}_cpu_seconds"] = cpu(f"play_{rate}", _SECOND, title)
    scrub = "random reads of 1 MiB in a film, one at a time"
    found["scrub_seconds"] = _seconds("scrub", "Scrub, median", f"median time: {scrub}", OF_MANY)
    found["scrub_p99_seconds"] = _seconds(
        "scrub", "Scrub, 99th percentile", f"99th percentile of time: {scrub}", OF_MANY
    )
    found["scrub_cpu_seconds"] = cpu("scrub", "user and system time of both sides for each read", "scrub")
    title = f"{MULTICAM_STREAMS} streams of {MULTICAM_MBIT} Mbit/s"
    found["multicam_late_count"] = late(f"{title} at once, all together", "multicam")
    found["multicam_cpu_seconds"] = cpu(
        "multicam", f"user and system time of both sides for each second: {title}", "multicam"
    )
    card = "a camera card is copied into the share, until the server's disk has it"
    found["card_seconds"] = _seconds("card", "Copy in a camera card", card)
    found["card_bytes_per_second"] = Metric(
        title="Copy in a camera card, speed",
        unit="B/s",
        step="card",
        better="higher",
        timed_by="card_seconds",
        description=card,
    )
    found["card_gb_cpu_seconds"] = cpu(
        "card", "user and system time of both sides for 10⁹ bytes", "copy in a camera card"
    )
    folder = "list a folder of pictures and read the first 64 KiB of 200 of them, or of all where it has fewer"
    found["folder_seconds"] = _seconds("folder", "Open a folder of pictures", folder)
    found["folder_cpu_seconds"] = cpu("folder", "user and system time of both sides", "open a folder of pictures")
    title = f"while a film of {RECORDED_MBIT} Mbit/s is played, another one is recorded at this rate"
    found["record_late_count"] = late(f"of the recording, {title}", "recording")
    found["record_play_late_count"] = late(f"of the playing, {title}", "playing while recording")
    found["record_cpu_seconds"] = cpu("record", _SECOND, "recording and playing")
    return found


METRICS = _metrics()
