"""`workflow/families.json`: method and metrics of each family, for stages that do not import families.

The file is generated, and a test fails when it is out of date. Update it with `python -m spindlemark.cli.schemas`.
"""

from collections.abc import Mapping
from functools import cache

from pydantic import Field, TypeAdapter

from spindlemark.core.metric import Kind, Metric, Work
from spindlemark.core.paths import PROJECT
from spindlemark.core.record import Closed

LIBRARIES = "filesystem_lifecycle"  # the family whose workloads are the media libraries
NAMED = ("filesystem", "library")  # fields of settings
FILE = PROJECT / "workflow" / "families.json"


class Caveat(Closed):
    """A sentence about results, for a group whose factors make it necessary.

    It is shown where each of its `values` is known and not 0, and those in `below` are below their bound.
    """

    text: str = Field(description="with the values in braces, such as {seconds:g} s")
    values: dict[str, str] = Field(description="name in the text -> formula of factors, see core/formula.py")
    below: dict[str, float] = Field(default={}, description="value -> bound")


class Declared(Closed):
    """What one family declares."""

    method: int = Field(description="current number of its method")
    metrics: dict[str, Metric] = Field(description="its metrics, in its own order")
    settings: dict[str, str] = Field(
        description="field of a configuration's settings, or `library` -> the factor that has it"
    )
    caveats: list[Caveat] = Field(default=[], description="what limits its results")
    noted: list[str] = Field(default=[], description="environment fields that its recipes need")
    units: dict[str, str] = Field(default={}, description="column of an attachment -> its unit; the others have none")


FAMILIES = TypeAdapter(dict[str, Declared])


@cache
def families() -> Mapping[str, Declared]:
    """Family -> its declaration, sorted by name."""
    return FAMILIES.validate_json(FILE.read_bytes())


def metrics(family: str) -> Mapping[str, Metric]:
    """Metrics of a family by name, in its order; empty for an unknown family."""
    found = families().get(family)
    return found.metrics if found else {}


def settings(family: str) -> Mapping[str, str]:
    """Field of a configuration's settings in the findings -> factor of the family; empty where there is no such family."""
    found = families().get(family)
    return found.settings if found else {}


def names(family: str) -> Mapping[str, str]:
    """filesystem, library -> the factor with its name, which is a part of an experiment's name; only those of the family."""
    return {field: factor for field, factor in settings(family).items() if field in NAMED}


def caveats(family: str) -> list[Caveat]:
    """What limits the results of a family; empty for an unknown one."""
    found = families().get(family)
    return found.caveats if found else []


def units(family: str) -> Mapping[str, str]:
    """Column of an attachment -> its unit; empty for an unknown family."""
    found = families().get(family)
    return found.units if found else {}


@cache
def work(metric: str) -> Work | None:
    """The work that a metric counts instead of time; None if it counts none."""
    return next((own.metrics[metric].work for own in families().values() if metric in own.metrics), None)


@cache
def kind(metric: str) -> Kind | None:
    """The kind of a metric, which is the same in every family that has it; None for an unknown metric."""
    return next((own.metrics[metric].kind for own in families().values() if metric in own.metrics), None)
