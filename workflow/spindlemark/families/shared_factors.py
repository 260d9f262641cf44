"""The shared factors of a family, all together; see factors/factor.py."""

from collections.abc import Mapping
from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.record import Part
from spindlemark.families import registry as families
from spindlemark.families.factors.factor import Choice, Factor


def of(family: str) -> dict[str, Factor]:
    """The shared factors of a family, by name."""
    return {factor.name: factor for factor in families.get(family).shared}


def resolve(family: str, choice: Choice) -> dict[str, Any]:
    """Every shared factor of the family, resolved; raises UserError naming file and key."""
    return {name: factor.resolve(choice) for name, factor in of(family).items()}


def name_parts(family: str, choice: Choice) -> list[Part]:
    """The parts of an experiment's name: the configuration, such as ext4+m0@bfq, then the rest as the set has it."""
    shared = of(family)
    marks = {name: mark for name, factor in shared.items() if (mark := factor.mark(choice)) is not None}
    named = [name for name in choice.chosen if name not in marks]
    if not named:
        raise UserError(f"{choice.where}: sets: factors: are missing", "name at least one")
    named.sort(key=lambda name: not (name in shared and shared[name].leads))
    first, *rest = (
        shared[name].part(choice.chosen[name]) if name in shared else Part(value=choice.chosen[name]) for name in named
    )
    return [first.model_copy(update={"under": "@".join(filter(None, marks.values()))}), *rest]


def tools(family: str, factors: Mapping[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
    """Package -> command that prints its version, of all that an experiment's numbers depend on."""
    found: dict[str, tuple[str, ...]] = {}
    for name, factor in of(family).items():
        found |= factor.tools(factors[name], registry)
    return {**found, **families.tools(family)}


def modules(family: str, factors: Mapping[str, Any]) -> list[str]:
    """What an experiment needs of the kernel."""
    return [needed for name, factor in of(family).items() for needed in factor.modules(factors[name])]


def prepare(family: str, factors: Mapping[str, Any], testbed: config.Testbed) -> None:
    """Make what the family's shared factors keep in memory between repetitions."""
    for name, factor in of(family).items():
        factor.prepare(factors[name], testbed)


def opening(family: str, factors: Mapping[str, Any], testbed: config.Testbed) -> dict[str, Any]:
    """Settings of a testbed opened for an experiment: its own scheduler, and what the factors set."""
    found: dict[str, Any] = {"scheduler": testbed.scheduler}
    for name, factor in of(family).items():
        found |= factor.opening(factors[name])
    return found


def recipe(family: str, settings: Mapping[str, str]) -> list[str]:
    """Shell lines that reproduce the shared factors of a configuration; none for an unknown family."""
    if family not in families.names():
        return []
    return [line for factor in of(family).values() for line in factor.recipe(settings)]


def library(family: str, factors: Mapping[str, Any]) -> dict[str, Any] | None:
    """The media library that an experiment reads, None for one without."""
    found = (factor.library(factors[name]) for name, factor in of(family).items())
    return next((library for library in found if library is not None), None)
