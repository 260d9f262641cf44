"""All families: each folder here with a module `family`."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from pydantic import ValidationError

from spindlemark import families
from spindlemark.core.declared import Declared
from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.limits import key_of, message, shown
from spindlemark.core.metric import Metric
from spindlemark.families.family import Family, Versions

_NO_FAMILIES = ("factors", "shared")


@cache
def names() -> tuple[str, ...]:
    """Names of all families; cached, since a plan of thousands of experiments needs them for each."""
    return tuple(
        sorted(
            module.name
            for module in pkgutil.iter_modules(families.__path__)
            if module.ispkg and module.name not in _NO_FAMILIES
        )
    )


@cache
def get(name: str) -> Family:
    """A family by its name; raises UserError when there is none."""
    if name not in names():
        raise UserError(f"no family is called {name!r}", f"there are: {', '.join(names())}")
    return import_module(f"spindlemark.families.{name}.family").FAMILY


def method(name: str) -> int:
    """The number of the family's method, which a developer raises when the measurement itself changes."""
    return get(name).method


def metrics(name: str) -> Mapping[str, Metric]:
    """What the family measures, by metric name."""
    return get(name).metrics


def declared(name: str) -> Declared:
    """What the stages that import no family know about it."""
    own = get(name)
    return Declared(
        method=own.method,
        metrics=dict(own.metrics),
        settings={field: factor for shared in own.shared for field, factor in shared.settings.items()},
        caveats=list(own.caveats),
        noted=list(own.noted),
        units=dict(own.units),
    )


def tools(name: str) -> Versions:
    """Package -> command that prints its version, of the tools that the family measures with."""
    return get(name).tools


def unpacked(name: str | None = None) -> set[str]:
    """Programs that the family starts and that are unpacked instead of installed; without a name, those of all."""
    return {program for family in ([name] if name else names()) for program in get(family).unpacked}


def built(name: str) -> tuple[str, ...]:
    """Programs that the family starts and that are built from sources of this project."""
    return get(name).built


def recipe(name: str, settings: Mapping[str, str]) -> list[str]:
    """The family's own shell lines that reproduce a configuration, from its factors as text; none for an unknown family."""
    return get(name).recipe(settings) if name in names() else []


def factors(name: str, chosen: Mapping[str, str], scale: Mapping[str, Any], size: int) -> dict[str, Any]:
    """The family's own factors, resolved: what was `chosen` of them, at the profile's `scale`, on `size` bytes.

    Raises ProfileError when the scale does not fit the family, UserError when the choice does not, both naming the key.
    """
    family = get(name)
    if family.scale is None or family.factors is None:
        for key in chosen:
            raise UserError(
                f"config/experiments/{name}.yaml: sets: factors: unknown key {key}",
                "remove it: the family has no such factor",
            )
        for key in scale:
            raise ProfileError(
                f"families.{name}.scale: unknown key {key}", "remove it: the family has no measure of its own"
            )
        return {}
    try:
        measure = family.scale.model_validate(scale)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = key_of(("families", name, "scale", *first["loc"]))
        raise ProfileError(
            f"{key}: {message(first)}",
            f"it is now {shown(first['input'])}: see Scale in workflow/spindlemark/families/{name}/family.py",
        ) from None
    return family.factors(dict(chosen), measure, size)


def most_repetitions(name: str, factors: dict[str, Any]) -> int | None:
    """The largest number of repetitions that a profile measures of an experiment; None: no limit."""
    return get(name).most_repetitions(factors)


def expected(name: str, factors: dict[str, Any], size: int) -> tuple[float, float]:
    """A first guess of a repetition on `size` bytes: seconds that it lasts however fast the device is, and bytes moved."""
    return get(name).expected(factors, size)
