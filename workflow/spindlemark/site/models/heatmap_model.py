"""The table of candidates by libraries, or by amounts of one (`heatmap.html`)."""

from typing import Literal

from pydantic import Field

from spindlemark.site.models.base import Configuration, Link, Part, Testbed


class HeatmapCell(Part):
    """One library or amount with one candidate."""

    mark: Literal["best", "tie", "worse", "open", "none"]
    text: str
    step: int = Field(description="how much worse, from 0 to 3")
    path: str


class HeatmapRow(Part):
    """A candidate with a cell for each column."""

    configuration: Configuration = Field(alias="subject")
    cells: list[HeatmapCell]


class Heatmap(Part):
    """Candidates by library types or amounts on one testbed (`heatmap.html`)."""

    testbed: Testbed
    columns: list[Link]
    rows: list[HeatmapRow]
    statement: str
