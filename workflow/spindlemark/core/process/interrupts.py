"""Signals that request a stop. They take effect only where stopping is safe, so that no clean-up is cut short."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asked this process to stop; `signum` is its number."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.signum = signum


_pending: int | None = None
_raising = False


def install() -> None:
    """Take over SIGINT, SIGTERM and SIGHUP for the rest of this process."""
    for signum in STOPPING:
        signal.signal(signum, _arrived)


def check() -> None:
    """Raise Interrupted if a signal has arrived since the last safe point."""
    if _pending is not None:
        raise Interrupted(_pending)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a signal raise Interrupted at once: while waiting, or during work that leaves nothing to undo."""
    global _raising
    _raising = True
    try:
        check()
        yield
    finally:
        _raising = False


def _arrived(signum: int, frame: FrameType | None) -> None:
    global _pending
    _pending = signum
    if _raising:
        raise Interrupted(signum)
