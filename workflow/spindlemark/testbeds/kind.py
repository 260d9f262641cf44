"""The type of a kind of testbed: the module of each kind here ends with `KIND = Kind(...)`."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.process.command import Finished
from spindlemark.core.record import Record, Scalar
from spindlemark.testbeds.computer import Computer, this_computer
from spindlemark.testbeds.device import Traffic
from spindlemark.testbeds.remote import DriverFunctions, Repetition

Run = Callable[..., Finished]  # Repetition.run: starts a command and records it
# How a testbed is opened where it differs from its declaration: `scheduler` of the disk; of a network also its own
# settings (network.SETTINGS), `readahead` and `limits` of its storage. Factors translate their values into these.
Settings = Mapping[str, Any]


class Opened(Protocol):
    """An open testbed with the methods that the harness calls; families also use others of a kind that they need."""

    def transferred(self) -> Traffic:
        """Traffic of its device since it appeared."""

    def counters(self) -> Mapping[str, Path]:
        """Name -> file of the kernel's counters, of each device that the load sampler reads."""

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the testbed."""


@dataclass(frozen=True)
class Remote:
    """How a kind measures a repetition and runs a trial on another computer."""

    measure: Callable[[Repetition, DriverFunctions], Record]
    trial: Callable[[Repetition, list[Settings], list[str], DriverFunctions], list[str]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of testbed.

    `tools` maps each program that it needs to its package. `opened(name, declared, size, settings, run)` opens the
    testbed and `clean(name, declared)` removes everything that it left; the caller holds the machine's lock.
    `device_facts` returns the device part of the fingerprint. `settle` replaces `clean` between repetitions, if
    something should be kept then. `in_memory`: its image takes memory, so a library in memory is generated before it.
    """

    tools: Mapping[str, str]
    opened: Callable[[str, Any, int, Settings, Run], AbstractContextManager[Opened]]
    clean: Callable[[str, Any], None]
    device_facts: Callable[[Any, int], dict[str, Any]]
    settle: Callable[[str, Any], None] | None = None
    computer: Callable[[Any], Computer] = this_computer
    remote: Remote | None = None
    in_memory: bool = False


def get(name: str) -> Kind:
    """The kind that a declaration names."""
    return import_module(f"spindlemark.testbeds.{name}").KIND


def of(declared: config.Testbed) -> Kind:
    """The kind of a declared testbed."""
    return get(declared.kind)


def settle(name: str, declared: config.Testbed) -> None:
    """Remove what a repetition left on a testbed. Called before and after each one; the caller holds its lock."""
    own = of(declared)
    (own.settle or own.clean)(name, declared)


class Unusable(UserError):
    """A testbed that cannot be opened as declared, so that no repetition can be measured on it now."""
