"""What a testbed kind that measures on another computer needs: the repetition, and the driver's help.

The rooms that provide both come after this one, so the driver passes them in.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from spindlemark import config
from spindlemark.core.record import Experiment, Record, Scalar, Series, Spec, Status

Facts = Callable[[], dict[str, Scalar]]


class Repetition(Protocol):
    """The parts of a repetition that such a kind reads, and `record`, which makes the record of one that failed."""

    spec: Spec
    number: int
    registry: config.Registry
    declared: Any  # the testbed's declaration
    limit_seconds: float | None
    started: datetime
    notes: dict[str, Scalar]

    def record(self, status: Status, reason: str | None, series: list[Series], fields: dict[str, Scalar]) -> Record:
        """The record of what was done so far; `fields` are the environment's."""


@dataclass(frozen=True)
class Help:
    """What the driver does for such a kind.

    `machine`, `software` and `passing` return the environment's fields (see harness/environment.py). `install` writes
    the program and the named tools of this computer into a folder that the other one sees at the second path, and stops
    waiting for requests after the given seconds. `library` yields the fields of a request that hand over a library.
    """

    machine: Facts
    software: Facts
    passing: Facts
    install: Callable[[Path, Path, list[str], float], None]
    library: Callable[[Experiment, Path, config.VmTestbed], AbstractContextManager[dict[str, Any]]]
