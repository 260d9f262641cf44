"""The shape of `findings.json`: everything the site says about results, computed in findings/ and nowhere else."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from spindlemark.analysis.findings.model.recommendation_model import FilesystemSettings, Option, Recommendation, Task
from spindlemark.analysis.findings.model.table_model import (
    DIFFERENT,
    Absent,
    Cell,
    Contrast,
    Contrasts,
    MetricTable,
    Need,
    Pair,
    Precision,
    Verdict,
)
from spindlemark.analysis.findings.model.weight_model import Draws, Replicate, Sessions, Weighing
from spindlemark.core.migrations import FINDINGS_FORMAT
from spindlemark.core.record import Closed, Scalar

__all__ = [
    "DIFFERENT",
    "FINDINGS_FORMAT",
    "Absent",
    "Cell",
    "Contrast",
    "Contrasts",
    "Draws",
    "FilesystemSettings",
    "Findings",
    "Group",
    "MetricTable",
    "Need",
    "Observation",
    "Option",
    "Pair",
    "Precision",
    "Recommendation",
    "Replicate",
    "Sessions",
    "Task",
    "Verdict",
    "Weighing",
]


class Observation(Closed):
    """Something worth knowing apart from the ranking."""

    topic: Literal["inodes", "reserved", "format"]
    configuration: str
    statement: str


class Group(Closed):
    """Configurations that may be compared: one question, one testbed of one machine, one workload at one scale."""

    group: str = Field(description="slug, as loop--picture or loop--file_creation--single-direct")
    question: str = Field(
        default="", description="its name in config/questions/; empty in releases 2026.11 and 2026.11.1"
    )
    testbed: str
    family: str
    library: str = Field(description="the workload: a library's name, or the factor values joined by --; may be empty")
    library_parts: list[str] = Field(default=[], description="the names that it is joined from")
    workload_title: str = Field(default="", description="the workload in words")
    library_factors: dict[str, Scalar]
    conditions: dict[str, Scalar] = Field(description="what all configurations share: method, kernel, machine, device")
    session: str = Field(default="", description="the newest of the sessions")
    sessions: list[str] = Field(default=[], description="that are pooled here, oldest first")
    configurations: list[str]
    candidates: list[str] = Field(
        default=[], description="what may be recommended; the others are shown for comparison"
    )
    metrics: list[MetricTable]
    absent: list[Absent]
    notes: list[str] = Field(description="generated sentences on what limits the figures of this group")
    recommendation: Recommendation | None = Field(description="null when fewer than two configurations can be weighed")
    reason: str = Field(default="", description="generated, and one of the notes: why there is no recommendation")
    settings: dict[str, FilesystemSettings] = Field(default={}, description="by configuration")
    observations: list[Observation] = []

    @property
    def advice(self) -> Recommendation:
        """The recommendation of a group that has one; raises ValueError for a group without."""
        if self.recommendation is None:
            raise ValueError(f"{self.group} has no recommendation")
        return self.recommendation

    def table(self, metric: str) -> MetricTable | None:
        """The table of a metric; None where it has no result."""
        return next((table for table in self.metrics if table.metric == metric), None)

    def cells(self, metric: str) -> list[Cell]:
        """The cells of that table, best first; none without it."""
        table = self.table(metric)
        return table.cells if table else []


def _newest(number: int) -> int:
    if number != FINDINGS_FORMAT:
        raise ValueError(f"is {number}: this program reads formats up to {FINDINGS_FORMAT}")
    return number


class Findings(Closed):
    """All findings of one version, and the thresholds that they rest on (times in seconds, the others shares of 1)."""

    findings_format: Annotated[int, AfterValidator(_newest)] = FINDINGS_FORMAT
    confidence: float
    practical_threshold: float
    shortest_rankable_seconds: float
    weight_spread: float = Field(
        default=0.0, description="of releases 2026.11 and 2026.11.1 alone: standard deviation of a weight's logarithm"
    )
    relative_width: float = Field(description="widest interval of a stable cell, as a share of its median")
    groups: list[Group]
    contrasts: list[Contrasts] = []
