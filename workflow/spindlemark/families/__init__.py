"""Families of experiments: each module here is one, found by its name, with METHOD, METRICS and steps(session)."""

import pkgutil
from importlib import import_module
from types import ModuleType

from pydantic import Field

from spindlemark.errors import UserError
from spindlemark.record import Better, Closed


class Metric(Closed):
    """What a number means; its name ends in its unit."""

    title: str
    unit: str = Field(description="s, B, 1, B/s, 1/s")
    better: Better
    description: str


def names() -> list[str]:
    """The families there are."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def get(name: str) -> ModuleType:
    """The module of a family; raises UserError when there is none."""
    if name not in names():
        raise UserError(f"no family is called {name!r}", f"there are: {', '.join(names())}")
    return import_module(f"{__name__}.{name}")


def method(name: str) -> int:
    """The number that a developer raises when the family's measurement itself changes."""
    return get(name).METHOD


def metrics(name: str) -> dict[str, Metric]:
    """What the family measures, by metric name."""
    return get(name).METRICS
