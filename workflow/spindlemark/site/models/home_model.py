"""The home page (`home.html`) and the pages of families (`library/section.html`, `question/section.html`)."""

from pydantic import Field

from spindlemark.analysis.findings.model import Verdict
from spindlemark.site.models.answer_model import Brief, Sessions
from spindlemark.site.models.base import Configuration, Fact, Folded, Link, Part, Testbed
from spindlemark.site.models.contrast_model import ContrastTable
from spindlemark.site.models.group_model import Tabs
from spindlemark.site.models.heatmap_model import Heatmap


class Most(Part):
    """How many testbeds some pages show."""

    testbeds: int


class HeadlineRow(Part):
    """A question with its headline answer."""

    question: str
    path: str
    answer: str = Field(description="one sentence; empty where nothing is known")
    title: str = Field(description="of the answer: its setting and device")
    lead: str = Field(description="address of the answer")
    verdict: Verdict | None
    sessions: Sessions | None
    count: int = Field(description="of the answers to the question")


class Bar(Part):
    """One configuration."""

    configuration: Configuration = Field(alias="subject")
    share: float = Field(description="of the largest value")
    text: str
    interval: str


class Bars(Part):
    """A metric of a headline answer, a bar per configuration."""

    title: str
    path: str
    testbed: Testbed
    description: str
    rows: list[Bar]


class Area(Part):
    """The questions of one area."""

    title: str
    ask: str
    rows: list[HeadlineRow]
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
    second: str = Field(description="the metric of the small second figures; empty without any")
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
    tabs: list[Tabs]
    groups: list[Brief]
    lead: Brief | None
    count: int
    tables: list[Figures]


class Home(Part):
    """The home page."""

    most: Most
    areas: list[Area]
    bars: list[Bars]
    ask: str
    contrasts: list[ContrastTable]
    libraries: list[Library]
    questions: list[Question]
    heatmaps: list[Heatmap]
