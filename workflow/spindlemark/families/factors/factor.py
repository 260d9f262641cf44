"""The type of a factor that families share: each is an object here, and a family lists its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.record import Part
from spindlemark.testbeds.kind import Settings


@dataclass(frozen=True)
class Choice:
    """The values that a set chose for one experiment, and what resolves them; `where` names the file in errors."""

    chosen: Mapping[str, str]
    registry: config.Registry
    profile: config.Profile
    testbed: config.Testbed
    where: str

    def value(self, factor: str) -> str:
        """The chosen value of a required factor; raises UserError."""
        if factor not in self.chosen:
            raise UserError(f"{self.where}: sets: factors: {factor}: is missing", f"name at least one {factor}")
        return self.chosen[factor]


class Factor(Protocol):
    """A shared factor. Only `resolve` is needed; all other methods have a default without effect.

    In an experiment's name a factor is in the place that the set gives it, unless it `leads`.
    """

    name: str
    leads: bool = False
    settings: Mapping[str, str] = {}  # field of a configuration's settings, or `library` -> the factor that has it

    def resolve(self, choice: Choice) -> Any:
        """The factor with every default filled in, as it enters the identity; raises UserError naming file and key.

        A factor that is None is left out, so that a new one does not change the identity of experiments without it.
        """
        ...

    def part(self, chosen: str) -> Part:
        """Its part of an experiment's name: the value, and the setting where a choice names one as well."""
        return Part(value=chosen)

    def mark(self, choice: Choice) -> str | None:
        """Text added to the first part of an experiment's name; None if the factor has a part of its own."""
        return None

    def setting(self, choice: Choice) -> str:
        """Text added to the setting of the first part of an experiment's name, if it marks that part."""
        return ""

    def tools(self, value: Any, registry: config.Registry) -> dict[str, tuple[str, ...]]:
        """Package -> command that prints its version, of the tools that the numbers depend on."""
        return {}

    def modules(self, value: Any) -> list[str]:
        """The modules that the kernel needs."""
        return []

    def opening(self, value: Any) -> Settings:
        """Settings of the opened testbed."""
        return {}

    def slowdown(self, value: Any) -> float:
        """Share of its own time by which each step of a repetition is prolonged."""
        return 0.0

    def library(self, value: Any) -> dict[str, Any] | None:
        """The media library that a repetition reads."""
        return None

    def recipe(self, settings: Mapping[str, str]) -> list[str]:
        """Shell lines that reproduce it, from the factors of a configuration as text."""
        return []

    def prepare(self, value: Any, testbed: config.Testbed) -> None:
        """Make what is kept in memory between repetitions."""
        return


def require_disk(choice: Choice, name: str) -> config.Testbed:
    """The testbed of the network's storage; raises UserError where there is none."""
    found = choice.testbed.disk if isinstance(choice.testbed, config.Network) else None
    if found is None:
        raise UserError(
            f"{choice.where}: {name}: needs a network with a disk on the server's side",
            "name one in the set, as testbeds: [link-ram]",
        )
    return found


def require_device(choice: Choice, name: str) -> None:
    """Raises UserError where the testbed has no device to measure, neither of its own nor as a network's storage."""
    if isinstance(choice.testbed, config.ProcessorTestbed):
        raise UserError(
            f"{choice.where}: {name}: needs a disk, and testbeds of kind {choice.testbed.kind} have none",
            "name one with a disk in the set, as testbeds: [loop]",
        )
    if isinstance(choice.testbed, config.Network):
        require_disk(choice, name)


def with_setting(chosen: str) -> Part:
    """A value and its setting, which a set writes as ext4+m0 or nginx+threads."""
    value, _, setting = chosen.partition("+")
    return Part(value=value, setting=setting)
