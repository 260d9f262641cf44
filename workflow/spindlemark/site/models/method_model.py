"""Methods of the families, and the benchmark of the verdicts (`content/method/`)."""

from typing import Literal

from pydantic import Field

from spindlemark.site.models.base import Fact, Part
from spindlemark.site.models.version_model import Family


class MethodMetric(Part):
    """A metric of a family."""

    fragment: str = Field(alias="anchor")
    metric: str
    title: str
    unit: str
    better: str
    description: str


class Method(Family):
    """The method of a family (`families.html`)."""

    fragment: str = Field(alias="anchor")
    description: str
    text: str = Field(description="Markdown")
    metrics: list[MethodMetric]


class Term(Part):
    """A term of the glossary (`glossary.html`)."""

    fragment: str = Field(alias="anchor")
    title: str
    text: str


class Control(Part):
    """Verdicts on a configuration whose result is known in advance (`controls.html`)."""

    family: str
    control: str
    known: Literal["equal", "slower"]
    result: str = Field(description="how many verdicts are false alarms, or detect the slowdown")
    slower: int
    faster: int
    equivalent: int
    inconclusive: int
    short: int


class TruthRow(Fact):
    """A figure of the benchmark of the verdicts."""

    text: str


class Truth(Part):
    """A section of that benchmark (`truth.html`)."""

    section: str
    rows: list[TruthRow]
