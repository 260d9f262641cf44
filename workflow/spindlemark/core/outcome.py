"""How a repetition can end other than well. Each is a result that is recorded, not a crash of the harness."""

import signal

from spindlemark.core.record import Status


class Outcome(Exception):
    """Ends a repetition early with a status and the reason for it."""

    status: Status

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Broken(Exception):
    """Something from outside ended or took away what the repetition needs: that says nothing about its subject."""


class Failed(Outcome):
    """The subject did not do its task, as for want of space or with errors found by its check."""

    status = "failed"


class Unsupported(Outcome):
    """The machine lacks a tool or a kernel module; the reason names the package that brings it."""

    status = "unsupported"


class Invalid(Outcome):
    """A validity gate that must hold did not: the figures would mean nothing."""

    status = "invalid"


# Signals that a program does not raise by its own fault: the kernel when memory is short, a person, another program.
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGSTOP)
_SHELL_OFFSET = 128  # what shells, and our own programs that run another one, add to the number of its signal


def external_signal(exit_code: int) -> str | None:
    """The name of the signal by which a command was ended from outside; None for any other end."""
    number = -exit_code if exit_code < 0 else exit_code - _SHELL_OFFSET
    return signal.Signals(number).name if number in _FROM_OUTSIDE else None
