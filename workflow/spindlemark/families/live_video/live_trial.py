"""One trial: senders at the server's end of the link, watchers at the other, all beginning together."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.outcome import Failed
from spindlemark.core.process import programs
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families.live_video import analysis, clocks, stream_setup
from spindlemark.families.live_video.analysis import Watched
from spindlemark.families.live_video.stream_setup import Seen, Sent, Setting
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds.background import Background, background

_LEAD_SECONDS = 0.3  # from when all are ready to the first frame
_END_SECONDS = 15.0  # that leaving a note may take on a machine that is too busy
_LOOK_SECONDS, _WATCH_SECONDS = 0.05, 0.5
Sleep = Callable[[float], None]  # until a moment of CLOCK_MONOTONIC
During = Callable[[float, Sleep], None]  # begin -> works in the seconds that count


@dataclass(frozen=True)
class Played:
    """What all streams of a trial did. `sent_bytes`: by the server, in the seconds that count."""

    settings: Sequence[Setting]
    sent: list[Sent]
    seen: list[list[Seen]]
    sent_bytes: int
    begin: float

    @property
    def watched(self) -> list[Watched]:
        """What every watcher got."""
        return [
            analysis.watched(given, seen)
            for given, all_seen in zip(self.settings, self.seen, strict=True)
            for seen in all_seen
        ]

    @property
    def holds(self) -> bool:
        """Whether every one of them could be watched."""
        return all(each.holds for each in self.watched)

    @property
    def on_time(self) -> float:
        """Share of the captures that were on time."""
        return analysis.on_time(self.sent)


def play(repetition: Repetition, settings: Sequence[Setting], during: During | None = None) -> Played:
    """Run all streams of `settings`, which share a folder, once; see During for what can be done meanwhile.

    Raises Failed with its last words when a sender or a watcher ends before its time.
    """
    link, folder = repetition.testbed, Path(settings[0].folder)
    stream_setup.prepare(folder)
    with ExitStack() as stack:
        running = [
            stack.enter_context(_started(repetition, end, module, given, name))
            for given in settings
            for end, module, name in (
                (link.server, "sender", "sender"),
                *((link.client, "watcher", f"watcher-{n}") for n in range(given.watchers)),
            )
        ]
        _wait(
            running,
            [given.place(name, "ready") for given in settings for name in _all(given)],
            settings[0].wait_seconds,
        )
        begin = stream_setup.begin(folder, _LEAD_SECONDS)
        with interruptible():
            sent_bytes = _carried(repetition, begin, settings[0], during, lambda moment: _sleep_until(moment, running))
        ended = begin + settings[0].warm_seconds + settings[0].seconds + stream_setup.GRACE_SECONDS
        _wait(
            running,
            [given.place(name) for given in settings for name in _all(given)],
            ended - time.monotonic() + _END_SECONDS,
        )
    return Played(
        settings,
        [given.sent() for given in settings],
        [[given.seen(n) for n in range(given.watchers)] for given in settings],
        sent_bytes,
        begin,
    )


def _carried(repetition: Repetition, begin: float, given: Setting, during: During | None, sleep_until: Sleep) -> int:
    """Bytes that the server sent in the seconds that count; `during` runs in them."""
    sleep_until(begin + given.warm_seconds)
    before = repetition.testbed.carried()
    if during:
        during(begin, sleep_until)
    sleep_until(begin + given.warm_seconds + given.seconds)
    return repetition.testbed.carried().since(before).server_bytes


def _sleep_until(moment: float, running: Sequence[Background]) -> None:
    """Sleep until then; raises Failed soon after one of them has ended."""
    while (left := moment - time.monotonic()) > 0:
        clocks.sleep_until(min(moment, time.monotonic() + _WATCH_SECONDS))
        if left > _WATCH_SECONDS:
            for each in running:
                each.require()


def _started(
    repetition: Repetition, end: object, module: str, given: Setting, who: str
) -> AbstractContextManager[Background]:
    given.file.write_text(given.model_dump_json())
    words = [*programs.PYTHON, "-m", f"spindlemark.families.live_video.{module}", str(given.file), *who.split("-")[1:]]
    return background(repetition, repetition.testbed.within(end, words), name=f"{given.name} {who}")


def _wait(running: Sequence[Background], files: Sequence[Path], seconds: float) -> None:
    """Wait until all files are there; raises Failed when something ended instead, or in time nothing came."""
    limit = time.monotonic() + seconds
    with interruptible():
        while missing := [file for file in files if not file.exists()]:
            for each in running:
                each.require()
            if time.monotonic() > limit:
                raise Failed(f"{missing[0].stem} had not ended after {seconds:g} s")
            time.sleep(_LOOK_SECONDS)


def _all(given: Setting) -> list[str]:
    return ["sender", *(f"watcher-{n}" for n in range(given.watchers))]
