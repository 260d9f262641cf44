"""What a kind of testbed is: each module of that name here ends with `KIND = Kind(...)`."""

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
from spindlemark.testbeds.elsewhere import Help, Repetition

Run = Callable[..., Finished]  # Repetition.run: starts a command and records it
# How a testbed is opened where it differs from its declaration: `scheduler` of the disk; of a network also its own
# settings (network.SETTINGS), `readahead` and `limits` of its storage. Factors translate their values into these.
Settings = Mapping[str, Any]


class Opened(Protocol):
    """An open testbed, as the harness sees it; families also use what the kinds they need offer."""

    def transferred(self) -> Traffic:
        """What its device was asked for since it appeared."""

    def counters(self) -> Mapping[str, Path]:
        """Name -> the kernel's counters of each device that the load sampler reads."""

    def facts(self) -> dict[str, Scalar]:
        """Environment fields of the testbed."""


@dataclass(frozen=True)
class Remote:
    """How a kind that measures on another computer has a repetition measured and its testbed tried there."""

    measured: Callable[[Repetition, Help], Record]
    tried: Callable[[Repetition, list[Settings], list[str], Help], list[str]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of testbed.

    `tools` maps each program that it needs to its package. `opened(name, declared, size, settings, run)` opens the
    testbed and `clean(name, declared)` removes what it left; the caller holds the machine's lock. `device_facts` returns
    the device part of the fingerprint. `settle` is what is done between repetitions, where something is kept that `clean`
    would remove. `in_memory`: its image takes memory, so what a repetition keeps in memory is made before it.
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
    """Remove what a repetition left on a testbed, before and after each; the caller holds its lock."""
    own = of(declared)
    (own.settle or own.clean)(name, declared)


class Unusable(UserError):
    """A testbed that cannot be opened as it is declared: no repetition on it could be measured now."""
