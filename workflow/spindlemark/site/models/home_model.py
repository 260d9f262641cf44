"""The home page (`home.html`) and the pages of families (`library/section.html`, `question/section.html`)."""

from pydantic import Field

from spindlemark.analysis.findings.model import Verdict
from spindlemark.site.models.answer_model import Brief
from spindlemark.site.models.base import Configuration, Fact, Folded, Link, Part, Testbed
from spindlemark.site.models.contrast_model import ContrastTable
from spindlemark.site.models.heatmap_model import Heatmap


class Most(Part):
    """How many answers and testbeds some pages show."""

    answers: int
    testbeds: int


class Area(Part):
    """The families of one area."""

    title: str
    ask: str
    families: list[str]
    planned: str


class Library(Part):
    """A library type with its answer on each testbed."""

    title: str
    description: str
    path: str
    facts: list[Fact]
    answers: list[Brief]


class Scored(Part):
    """A configuration's score."""

    score: str
    probability: str
    first: bool
    tier: int | None
    verdict: Verdict | None


class Median(Part):
    """A configuration's median under the metric that decides."""

    median: str
    tier: int | None
    verdict: Verdict | None
    addition: str = Field(alias="beside")
    url: str | None


class Missing(Part):
    """Why a configuration has no figure; null where it was not measured."""

    status: str | None


class WorkloadColumn(Link):
    """A workload, with the metric or score that its column has."""

    what: str


class FigureRow(Part):
    """A configuration with its figure for each workload."""

    configuration: Configuration = Field(alias="subject")
    comparison: bool = Field(alias="beside")
    cells: list[Scored | Median | Missing]


class Figures(Folded[FigureRow]):
    """Configuration by workload, on one testbed (`matrix.html`)."""

    testbed: Testbed
    metric: str
    scored: bool
    columns: list[WorkloadColumn]
    turned: bool = Field(description="workloads are the rows")


class Question(Part):
    """A family with its groups (`question/section.html`)."""

    family: str
    title: str
    question: str
    path: str
    limits: list[str]
    longer: str
    contrasts: list[ContrastTable]
    groups: list[Brief]
    lead: Brief | None
    count: int
    tables: list[Figures]


class Home(Part):
    """The home page."""

    most: Most
    areas: list[Area]
    ask: str
    contrasts: list[ContrastTable]
    libraries: list[Library]
    questions: list[Question]
    heatmaps: list[Heatmap]
