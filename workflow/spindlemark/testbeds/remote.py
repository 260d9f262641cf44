"""Types for a testbed kind that measures on another computer: the repetition, and functions of the driver.

The rooms that implement both come after this one, so the driver passes them in.
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
    """The parts of a repetition that such a kind uses."""

    spec: Spec
    number: int
    registry: config.Registry
    declared: Any  # the testbed's declaration
    limit_seconds: float | None
    started: datetime
    notes: dict[str, Scalar]

    def record(self, status: Status, reason: str | None, series: list[Series], fields: dict[str, Scalar]) -> Record:
        """The record of a failed repetition; `fields` are the environment's."""


@dataclass(frozen=True)
class DriverFunctions:
    """Functions of the driver for such a kind.

    `machine`, `software` and `passing` return the environment's fields (see harness/environment.py). `install` writes
    the program and the named tools of this computer into a folder, which the other one sees at the second path. The
    program there ends when no request comes for the given seconds. `library` yields the fields of a request that hand
    over the experiment's media library.
    """

    machine: Facts
    software: Facts
    passing: Facts
    install: Callable[[Path, Path, list[str], float], None]
    library: Callable[[Experiment, Path, config.VmTestbed], AbstractContextManager[dict[str, Any]]]
