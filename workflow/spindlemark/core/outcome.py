"""Outcomes of a repetition other than `ok`. They are recorded as results; other exceptions are harness failures."""

import signal

from spindlemark.core.record import Status


class Outcome(Exception):
    """Ends a repetition early with a status and the reason for it."""

    status: Status

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Broken(Exception):
    """An external cause stopped the repetition or removed what it needs; this is not a result."""


class Failed(Outcome):
    """The configuration did not complete its task, for example for lack of space or because its check found errors."""

    status = "failed"


class TimedOut(Failed):
    """A command was killed at its limit of time."""


class Unsupported(Outcome):
    """The machine lacks a tool or a kernel module; the reason names the package that contains it."""

    status = "unsupported"


class Invalid(Outcome):
    """A required validity gate failed, so the numbers have no meaning."""

    status = "invalid"


# Signals from outside a program: by the kernel when memory is short, by a person or by another program.
_EXTERNAL = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGSTOP)
_SHELL_OFFSET = 128  # shells, and our programs that run another one, add it to the number of the signal


def external_signal(exit_code: int) -> str | None:
    """Name of the external signal that ended a command; None for any other end."""
    number = -exit_code if exit_code < 0 else exit_code - _SHELL_OFFSET
    return signal.Signals(number).name if number in _EXTERNAL else None
