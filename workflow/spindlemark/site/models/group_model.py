"""Groups: a page each (`library/page.html`, `question/page.html`), and what other pages say of one."""

from typing import Literal

from pydantic import Field

from spindlemark.analysis.findings.model import Task
from spindlemark.site.models.answer_model import Answer
from spindlemark.site.models.base import Configuration, Fact, Link, Part, Testbed
from spindlemark.site.models.contrast_model import ContrastTable
from spindlemark.site.models.evidence_model import Metric, Scorecard, Work
from spindlemark.site.models.heatmap_model import Heatmap
from spindlemark.site.models.picture_model import Picture


class Condition(Fact):
    """A condition that all configurations of the group share."""

    meaning: str


class Absent(Part):
    """A configuration without a result."""

    configuration: Configuration = Field(alias="subject")
    status: str
    reason: str
    share: str
    url: str | None


class Statement(Part):
    """A sentence about a configuration."""

    configuration: Configuration = Field(alias="subject")
    statement: str


class Observations(Part):
    """Statements on one topic."""

    title: str
    rows: list[Statement]


class Replication(Part):
    """The answer of several machines to the question of the group."""

    device: str
    statement: str
    fragment: str = Field(alias="anchor")


class Weighed(Part):
    """The file that the script of the weights reads."""

    kind: Literal["draws", "weighing"]
    path: str


class GroupEntry(Part):
    """What other pages say of a group."""

    path: str
    group: str
    title: str
    headline: str
    family: str
    library: str
    testbed: Testbed
    workload: str
    session: str
    tasks: list[Task] | None
    pictures: list[Picture]
    lead: int


class FeatureCell(Part):
    """What one filesystem has of a feature."""

    value: str
    source: str


class FeatureRow(Part):
    """One feature of all candidates."""

    title: str
    cells: list[FeatureCell]


class FeatureTable(Part):
    """What the candidates can do."""

    columns: list[str]
    rows: list[FeatureRow]


class Tab(Link):
    """Another answer to the same question."""

    current: bool


class Tabs(Part):
    """The answers that differ in one thing."""

    label: str
    items: list[Tab]


class GroupPage(Part):
    """The page of a group."""

    path: str
    group: str
    title: str
    question: str = Field(description="the question that it answers")
    question_path: str
    family: str
    library: str
    testbed: Testbed
    workload: str
    session: str
    description: str
    facts: list[Fact]
    configurations: list[Configuration] = Field(alias="subjects")
    notes: list[str]
    conditions: list[Condition]
    absent: list[Absent]
    metrics: list[Metric]
    work: Work | None
    answer: Answer | None
    scorecard: Scorecard | None
    contrasts: list[ContrastTable]
    observations: list[Observations]
    pictures: list[Picture]
    replications: list[Replication] = Field(alias="elsewhere")
    weigh: Weighed | None = None
    features: FeatureTable | None
    headline: str = Field(description="the finding in a few words; empty without an answer")
    tabs: list[Tabs]
    badge: bool = Field(description="whether its answer has a badge")
    amounts: Heatmap | None = Field(description="other amounts of the same library on the same testbed")
