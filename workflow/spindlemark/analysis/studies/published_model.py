"""The shape of `published.json`: each study's samples under our statistics, and what follows for its conclusions."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from spindlemark.analysis.findings.model import Group
from spindlemark.core.record import Closed, read_model

PUBLISHED_FORMAT = 2
Outcome = Literal["same", "equal", "tie", "different"]


class RederivedCell(Closed):
    """One cell of a table that sums up, and what the same samples say."""

    row: str
    column: str
    published: str = Field(description="the printed name in our spelling")
    ours: list[str] = Field(description="all that may be called so: more than one where they cannot be distinguished")
    by_average: str | None = Field(description="who it would be by the averages of the samples alone")
    outcome: Outcome = Field(
        description="the printed name is one of several: that are equal within the declared threshold, or (tie) that "
        "the samples cannot distinguish"
    )
    decided_by: str | None = Field(default=None, description="title of the task that decides the cell")
    why: str = Field(description="generated")


class Rederived(Closed):
    """One table that sums up."""

    source: str
    table: str
    number: str | None
    title: str
    columns: list[str]
    cells: list[RederivedCell]
    statement: str = Field(description="one generated sentence")


class Compared(Closed):
    """The groups of one study; configurations of different studies, and ours, are never in one group."""

    source: str
    title: str
    date: str | None = Field(description="as far as it is known")
    groups: list[Group]


class Published(Closed):
    """Everything that our statistics say about published samples."""

    published_format: int = PUBLISHED_FORMAT
    studies: list[Compared]
    rederived: list[Rederived]


def read(path: Path) -> Published:
    """Read the file; raises UserError naming file and key."""
    return read_model(Published, path, "move it away, then: ./spindlemark site")
