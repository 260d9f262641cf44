"""Evidence of a group: tables by metric, work, and the scorecard of the tasks."""

from typing import Literal

from pydantic import Field

from spindlemark.analysis.findings.model import Task, Verdict
from spindlemark.core.record import Better
from spindlemark.site.models.base import Block, Configuration, Folded, Part


class Cell(Part):
    """A configuration under one metric, with the page that has its samples."""

    configuration: Configuration = Field(alias="subject")
    url: str | None
    n: int
    missing: int
    median: str
    value: float
    interval: str
    range: bool
    tier: int | None
    verdict: Verdict | None
    short: bool
    placed: bool
    ratio: str
    ratio_interval: str
    noisy: int
    noisy_text: str
    unstable: bool


class Pair(Part):
    """Two configurations under one metric."""

    better: str
    worse: str
    ratio: str
    interval: str
    p: str
    verdict: Verdict | None
    need: str


class Metric(Part):
    """The table of one metric, with its chart."""

    metric: str
    title: str
    unit: str
    better: Better
    ranked: bool
    exact: bool
    primary: bool
    interval_head: str
    mixed: bool
    note: str
    precision: str
    statement: str
    verdict: Verdict | None
    count: int
    first: list[Cell]
    fragment: str = Field(alias="anchor")
    blocks: list[Block[Cell]]
    pairs: list[Pair]
    task: bool
    weight: str | None = Field(alias="for", description="the task and its weight; null for other metrics")
    svg: str = ""
    spec: str = ""
    cite: str = ""


class WorkCell(Part):
    """The work of a configuration under one metric."""

    value: str
    n: int
    spread: str
    url: str | None


class WorkRow(Part):
    """The work of a configuration."""

    configuration: Configuration = Field(alias="subject")
    cells: list[WorkCell | None]


class Work(Folded[WorkRow]):
    """Requests, bytes and CPU time of each step."""

    columns: list[str]
    statements: list[str]


class ScorecardTask(Task):
    """A weighted task, with its metric's place on the page."""

    fragment: str = Field(alias="anchor")


class Shown(Part):
    """A metric that the recommendation does not depend on."""

    title: str
    fragment: str = Field(alias="anchor")
    comparison: Literal[True] = Field(alias="beside")


class ScorecardRow(Part):
    """A configuration with a cell for each task."""

    configuration: Configuration = Field(alias="subject")
    absent: str | None
    comparison: bool = Field(alias="beside")
    cells: list[Cell | None]


class Scorecard(Folded[ScorecardRow]):
    """Configuration by task."""

    tasks: list[ScorecardTask | Shown]
    shown: str
    cite: str = ""
