"""The shared factors of a family, all together; see factors/factor.py."""

from collections.abc import Iterator, Mapping
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
    """Every shared factor of the family, resolved, without absent ones; raises UserError naming file and key."""
    resolved = {name: factor.resolve(choice) for name, factor in of(family).items()}
    return {name: value for name, value in resolved.items() if value is not None}


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
    setting = "+".join(filter(None, [first.setting, *(shared[name].setting(choice) for name in marks)]))
    return [first.model_copy(update={"setting": setting, "under": "@".join(filter(None, marks.values()))}), *rest]


def tools(family: str, factors: Mapping[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
    """Package -> command that prints its version, of all that an experiment's numbers depend on."""
    found: dict[str, tuple[str, ...]] = {}
    for factor, value in _present(family, factors):
        found |= factor.tools(value, registry)
    return {**found, **families.tools(family)}


def modules(family: str, factors: Mapping[str, Any]) -> list[str]:
    """What an experiment needs of the kernel."""
    return [needed for factor, value in _present(family, factors) for needed in factor.modules(value)]


def prepare(family: str, factors: Mapping[str, Any], testbed: config.Testbed) -> None:
    """Make what the family's shared factors keep in memory between repetitions."""
    for factor, value in _present(family, factors):
        factor.prepare(value, testbed)


def opening(family: str, factors: Mapping[str, Any], testbed: config.Testbed) -> dict[str, Any]:
    """Settings of a testbed opened for an experiment: its own scheduler, and what the factors set."""
    found: dict[str, Any] = {"scheduler": testbed.scheduler}
    for factor, value in _present(family, factors):
        found |= factor.opening(value)
    return found


def slowdown(family: str, factors: Mapping[str, Any]) -> float:
    """Share of its own time by which each step of a repetition is prolonged."""
    return sum(factor.slowdown(value) for factor, value in _present(family, factors))


def recipe(family: str, settings: Mapping[str, str]) -> list[str]:
    """Shell lines that reproduce the shared factors of a configuration; none for an unknown family."""
    if family not in families.names():
        return []
    return [line for factor in of(family).values() for line in factor.recipe(settings)]


def library(family: str, factors: Mapping[str, Any]) -> dict[str, Any] | None:
    """The media library that an experiment reads, None for one without."""
    found = (factor.library(value) for factor, value in _present(family, factors))
    return next((library for library in found if library is not None), None)


def _present(family: str, factors: Mapping[str, Any]) -> Iterator[tuple[Factor, Any]]:
    """Yield each shared factor that an experiment has, with its value."""
    for name, factor in of(family).items():
        if name in factors:
            yield factor, factors[name]
