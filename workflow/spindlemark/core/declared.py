"""What families declare of themselves, for stages that have no families: `workflow/families.json`, written from them.

A test compares the file with the families. Write it again with `python -m spindlemark.cli.schemas`.
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

    method: int = Field(description="the newest number of its measurement")
    metrics: dict[str, Metric] = Field(description="what it measures, in its own order")


FAMILIES = TypeAdapter(dict[str, Declared])


@cache
def families() -> Mapping[str, Declared]:
    """Family -> what it declares, in the order of the families' names."""
    return FAMILIES.validate_json(FILE.read_bytes())


def metrics(family: str) -> Mapping[str, Metric]:
    """What a family measures, by metric name and in its order; empty where there is no such family."""
    found = families().get(family)
    return found.metrics if found else {}


@cache
def work(metric: str) -> Work | None:
    """The work that a metric counts instead of time; None where it counts none."""
    return next((own.metrics[metric].work for own in families().values() if metric in own.metrics), None)


@cache
def kind(metric: str) -> Kind | None:
    """The kind of a metric, which is the same in every family that has it; None where none has."""
    return next((own.metrics[metric].kind for own in families().values() if metric in own.metrics), None)
