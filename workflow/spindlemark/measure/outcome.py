"""How a repetition can end other than well. Each is a result that is recorded, not a crash of the harness."""

from spindlemark.record import Status


class Outcome(Exception):
    """Ends a repetition early with a status and the reason for it."""

    status: Status

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Failed(Outcome):
    """The subject did not do its task, as for want of space or with errors found by its check."""

    status = "failed"


class Unsupported(Outcome):
    """This machine lacks a tool or a kernel module; the reason names the package that brings it."""

    status = "unsupported"


class Invalid(Outcome):
    """A validity gate that must hold did not: the figures would mean nothing."""

    status = "invalid"
