"""The typed shape of `summary.yaml`: the tables in which a study sums up its tests, in the terms of the findings."""

from pathlib import Path

from pydantic import Field

from spindlemark.config import read_yaml
from spindlemark.core.record import Closed


class BestAndWorst(Closed):
    """A table that names the best and the worst configuration of each task and library."""

    table: str
    tasks: dict[str, str] = Field(description="printed task -> metric")
    best: str = Field(description="column")
    worst: str = Field(description="column")


class Options(Closed):
    """A table that recommends configurations for each library, best first."""

    table: str
    columns: list[str] = Field(min_length=1, max_length=3)


class Summary(Closed):
    """What a study concludes, cell by cell."""

    best_and_worst: BestAndWorst
    options: Options
    names: dict[str, str] = Field(
        default={}, description="printed name -> ours, in addition to the labels of `source.yaml`"
    )
    for_every_library: str = Field(description="library of the tests that count for each library")
    metrics: dict[str, str] = Field(default={}, description="task of the advice -> metric that stands for it here")


def read(folder: Path) -> Summary | None:
    """The study's `summary.yaml`, None where it has none; raises UserError naming file and key."""
    path = folder / "summary.yaml"
    return read_yaml(path, Summary) if path.exists() else None
