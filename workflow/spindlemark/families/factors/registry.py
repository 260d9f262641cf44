"""Factors that families share: each module here is one, found by its name. A family names its own in FACTORS.

It has resolve(choice), the factor with every default filled in. Where it needs something of a computer it has
tools(value, registry), package -> command that prints its version, and modules(value), those of the kernel. Where it
says how the testbed is opened it has opening(value). Where it keeps something in memory it has prepare(value, testbed).
In an experiment's name it stands where the set has it, unless it LEADS or has mark(choice), which is written behind the
first part. Where a choice names a setting as well it has part(chosen).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.limits import message, shown
from spindlemark.core.record import Part
from spindlemark.families import registry as families


@dataclass(frozen=True)
class Choice:
    """What a set chose for one experiment, and all that it is resolved with; `where` names the file in errors."""

    chosen: Mapping[str, str]
    registry: config.Registry
    profile: config.Profile
    testbed: config.Testbed
    where: str

    def value(self, factor: str) -> str:
        """What was chosen for a factor that the family cannot do without; raises UserError."""
        if factor not in self.chosen:
            raise UserError(f"{self.where}: sets: factors: {factor}: is missing", f"name at least one {factor}")
        return self.chosen[factor]


def of(family: str) -> dict[str, ModuleType]:
    """The shared factors of a family, by name."""
    return {name: import_module(f"spindlemark.families.factors.{name}") for name in families.get(family).shared}


def of_network(choice: Choice, name: str) -> str:
    """The value of a setting of networks; raises UserError for a bad one, or where the testbed is no network."""
    if not isinstance(choice.testbed, config.Network):
        raise UserError(
            f"{choice.where}: {name}: is a setting of networks, and this testbed is of kind {choice.testbed.kind}",
            "name a network in the set, as testbeds: [link]",
        )
    value = choice.chosen.get(name, getattr(choice.testbed, name))
    try:
        type(choice.testbed).model_validate(choice.testbed.model_dump() | {name: value})
    except ValidationError as error:
        raise UserError(
            f"{choice.where}: {name}: {message(error.errors(include_url=False)[0])}",
            f"it is now {shown(value)}: see {name} in config/testbeds/",
        ) from None
    return value


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


def resolve(family: str, choice: Choice) -> dict[str, Any]:
    """Every shared factor of the family, resolved; raises UserError naming file and key."""
    return {name: module.resolve(choice) for name, module in of(family).items()}


def name_parts(family: str, choice: Choice) -> list[Part]:
    """The parts of an experiment's name: the configuration, such as ext4+m0@bfq, then the rest as the set has it."""
    shared = of(family)
    marks = [module.mark(choice) for module in shared.values() if hasattr(module, "mark")]
    named = sorted(
        (name for name in choice.chosen if not hasattr(shared.get(name), "mark")),
        key=lambda name: not getattr(shared.get(name), "LEADS", False),
    )
    if not named:
        raise UserError(f"{choice.where}: sets: factors: are missing", "name at least one")
    first, *rest = (_part(shared.get(name), choice.chosen[name]) for name in named)
    return [first.model_copy(update={"under": "@".join(filter(None, marks))}), *rest]


def _part(module: ModuleType | None, chosen: str) -> Part:
    return module.part(chosen) if module is not None and hasattr(module, "part") else Part(value=chosen)


def with_setting(chosen: str) -> Part:
    """A value and its setting, which a set writes as ext4+m0 or nginx+threads."""
    value, _, setting = chosen.partition("+")
    return Part(value=value, setting=setting)


def tools(family: str, factors: Mapping[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
    """Package -> command that prints its version, of all that an experiment's numbers depend on."""
    found: dict[str, tuple[str, ...]] = {}
    for name, module in of(family).items():
        if hasattr(module, "tools"):
            found |= module.tools(factors[name], registry)
    return found | families.tools(family)


def modules(family: str, factors: Mapping[str, Any]) -> list[str]:
    """What an experiment needs of the kernel."""
    return [
        needed
        for name, module in of(family).items()
        if hasattr(module, "modules")
        for needed in module.modules(factors[name])
    ]


def prepare(family: str, factors: Mapping[str, Any], testbed: config.Testbed) -> None:
    """Make what the family's shared factors keep in memory between repetitions."""
    for name, module in of(family).items():
        if hasattr(module, "prepare"):
            module.prepare(factors[name], testbed)


def opening(family: str, factors: Mapping[str, Any], testbed: config.Testbed) -> dict[str, str]:
    """How a testbed is opened for an experiment: as it is declared, but for what a factor says."""
    found = {"scheduler": testbed.scheduler}
    for name, module in of(family).items():
        if hasattr(module, "opening"):
            found |= module.opening(factors[name])
    return found
