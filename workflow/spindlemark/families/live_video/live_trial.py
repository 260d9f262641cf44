"""One trial: senders at the server's end of the link, watchers at the other, all beginning together."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.process import programs
from spindlemark.core.process.interrupts import interruptible
from spindlemark.families.live_video import analysis, stream_setup
from spindlemark.families.live_video.analysis import Watched
from spindlemark.families.live_video.stream_setup import Seen, Sent, Setting
from spindlemark.families.shared.timed_programs import meeting, waiting
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import load
from spindlemark.testbeds.background import Background, background

_LEAD_SECONDS = 0.3  # from when all are ready to the first frame
_END_SECONDS = 15.0  # that leaving a note may take on a machine that is too busy
Sleep = Callable[[float], None]  # until a moment of CLOCK_MONOTONIC


@dataclass(frozen=True)
class Meanwhile:
    """A trial that runs: when frame 0 is captured, and what can be done until its end.

    `restart_sender` ends the sender of the first stream, starts it again, and returns when it is ready.
    """

    begin: float
    sleep_until: Sleep
    restart_sender: Callable[[], None]


During = Callable[[Meanwhile], None]  # works in the seconds that count


@dataclass(frozen=True)
class Played:
    """What all streams of a trial did.

    `sent_bytes`: by the server, in the seconds that count. `busy`: the share of all processors that worked in them, for
    whatever program.
    """

    settings: Sequence[Setting]
    sent: list[Sent]
    seen: list[list[Seen]]
    sent_bytes: int
    begin: float
    busy: float

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
    folder = Path(settings[0].folder)
    stream_setup.prepare(folder)
    with ExitStack() as stack:
        started = _Programs(repetition, stack)
        for given in settings:
            for name in _all(given):
                started.start(given, name)
        waiting.until_files(
            started.running,
            [given.place(name, "ready") for given in settings for name in _all(given)],
            settings[0].wait_seconds,
        )
        begin = meeting.begin(folder, _LEAD_SECONDS)
        meanwhile = Meanwhile(
            begin,
            lambda moment: waiting.sleep_until(moment, started.running),
            lambda: started.restart(settings[0], "sender"),
        )
        with interruptible():
            sent_bytes, busy = _carried(repetition, settings[0], meanwhile, during)
        ended = begin + settings[0].warm_seconds + settings[0].seconds + stream_setup.GRACE_SECONDS
        waiting.until_files(
            started.running,
            [given.place(name) for given in settings for name in _all(given)],
            ended - time.monotonic() + _END_SECONDS,
        )
    return Played(
        settings,
        [given.sent() for given in settings],
        [[given.seen(n) for n in range(given.watchers)] for given in settings],
        sent_bytes,
        begin,
        busy,
    )


class _Programs:
    """Senders and watchers of a trial, each in a context of its own, so that one can be started again."""

    def __init__(self, repetition: Repetition, stack: ExitStack) -> None:
        self._repetition, self._stack = repetition, stack
        self._contexts: dict[tuple[str, str], ExitStack] = {}
        self._running: dict[tuple[str, str], Background] = {}

    @property
    def running(self) -> list[Background]:
        """All of them."""
        return list(self._running.values())

    def start(self, given: Setting, name: str) -> None:
        """Start a sender or a watcher at its end of the link."""
        link = self._repetition.testbed
        end, module = (link.server, "sender") if name == "sender" else (link.client, "watcher")
        key = given.name, name
        if key not in self._contexts:
            self._contexts[key] = self._stack.enter_context(ExitStack())
        made = _started(self._repetition, end, module, given, name)
        self._running[key] = self._contexts[key].enter_context(made)

    def restart(self, given: Setting, name: str) -> None:
        """End one, start it again, and wait until it is ready."""
        self._contexts[given.name, name].close()
        ready = given.place(name, "ready")
        ready.unlink()
        self.start(given, name)
        waiting.until_files(self.running, [ready], given.wait_seconds)


def _carried(repetition: Repetition, given: Setting, meanwhile: Meanwhile, during: During | None) -> tuple[int, float]:
    """Bytes that the server sent in the seconds that count, and the share of the processors that worked.

    `during` runs in those seconds.
    """
    meanwhile.sleep_until(meanwhile.begin + given.warm_seconds)
    before, worked = repetition.testbed.carried(), load.cpu_times()
    if during:
        during(meanwhile)
    meanwhile.sleep_until(meanwhile.begin + given.warm_seconds + given.seconds)
    sent, after = repetition.testbed.carried().since(before).server_bytes, load.cpu_times()
    spent = after.working + after.stolen - worked.working - worked.stolen
    return sent, spent / (after.at - worked.at) / (os.cpu_count() or 1)


def _started(
    repetition: Repetition, end: object, module: str, given: Setting, who: str
) -> AbstractContextManager[Background]:
    given.file.write_text(given.model_dump_json())
    words = [*programs.PYTHON, "-m", f"spindlemark.families.live_video.{module}", str(given.file), *who.split("-")[1:]]
    return background(repetition, repetition.testbed.within(end, words), name=f"{given.name} {who}")


def _all(given: Setting) -> list[str]:
    return ["sender", *(f"watcher-{n}" for n in range(given.watchers))]
