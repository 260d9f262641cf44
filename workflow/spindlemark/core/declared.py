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
FILE = PROJECT / "workflow" / "families.json"


class Declared(Closed):
    """What one family declares."""

    method: int = Field(description="current number of its method")
    metrics: dict[str, Metric] = Field(description="its metrics, in its own order")
    settings: dict[str, str] = Field(
        description="field of a configuration's settings in the findings -> the factor that has it"
    )


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


@cache
def work(metric: str) -> Work | None:
    """The work that a metric counts instead of time; None if it counts none."""
    return next((own.metrics[metric].work for own in families().values() if metric in own.metrics), None)


@cache
def kind(metric: str) -> Kind | None:
    """The kind of a metric, which is the same in every family that has it; None for an unknown metric."""
    return next((own.metrics[metric].kind for own in families().values() if metric in own.metrics), None)
