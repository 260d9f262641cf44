"""The answer of a page as data, at a stable address: `<page>/index.json`."""

from pydantic import Field

from spindlemark.analysis.findings.model import Verdict
from spindlemark.core.record import Better
from spindlemark.site.models.base import Part


class Candidate(Part):
    """A configuration, as a multiple of the first one over the weighted tasks."""

    configuration: str
    candidate: bool = Field(description="false where it is only shown for comparison")
    multiple: float | None = Field(description="weighted cost over that of the first; null where it is not known")
    low: float | None = Field(description="simultaneous interval of the multiple")
    high: float | None
    verdict: Verdict | None = Field(description="the first compared with it")


class AnswerTask(Part):
    """A task with its weight in the answer."""

    metric: str
    title: str
    weight: float
    counted: bool


class Value(Part):
    """The median of one configuration."""

    configuration: str
    n: int
    median: float
    low: float | None
    high: float | None
    ratio: float | None = Field(description="to the best")


class AnswerMetric(Part):
    """A metric with its values, best first."""

    metric: str
    title: str
    unit: str
    better: Better
    values: list[Value]


class AnswerFile(Part):
    """One answer with its numbers, in full precision."""

    format: int
    version: str
    address: str = Field(description="of its page; relative to the site where that is not known")
    licence: str
    question: str
    family: str
    title: str
    workload: str
    testbed: str
    sessions: list[str]
    verdict: Verdict | None = Field(description="null where nothing is weighed")
    answer: str
    first: list[str] = Field(description="beaten by none")
    confidence: float
    candidates: list[Candidate]
    tasks: list[AnswerTask]
    metrics: list[AnswerMetric] = Field(description="of the tasks; without an answer all that are ranked")


class Badge(Part):
    """A badge, in the format that shields.io reads from an address."""

    schema_version: int = Field(alias="schemaVersion")
    label: str
    message: str
    color: str
