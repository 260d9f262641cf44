"""The comparison: a page per metric (`compare/page.html`), and the columns that its script reads."""

from pydantic import Field

from spindlemark.analysis.findings.model import Verdict
from spindlemark.core.record import Better
from spindlemark.site.models.base import Configuration, Part
from spindlemark.site.models.evidence_model import Cell


class GroupStatement(Part):
    """The statement of one group."""

    library: str
    text: str
    verdict: Verdict | None


class Result(Cell):
    """A row with a result; `url` is the page of its samples or the printed table."""

    library: str
    status: str
    page: str


class NoResult(Part):
    """A row without a result."""

    configuration: Configuration = Field(alias="subject")
    library: str
    status: str
    reason: str
    median: str
    url: str | None
    page: str


class MetricPage(Part):
    """The page of one metric."""

    family: str
    metric: str
    path: str
    title: str
    unit: str
    kind: str
    better: Better
    ranked: bool
    interval_head: str
    statements: list[GroupStatement]
    count: int
    measured: bool
    published: int
    rows: list[Result | NoResult] = Field(description="the first rows, for a browser without script")
    collapsed: int | None
    data: str = Field(description="address of the columns")
    svg: str = ""
    spec: str = ""
    cite: str = ""


class ColumnsGroup(Part):
    """A group of the columns; `start` and `end` surround the configuration in the address of its experiment."""

    title: str
    library: str
    workload: str
    testbed: str
    emulated: bool
    family: str
    source: str
    page: str
    start: str
    end: str


class NamedConfiguration(Configuration):
    """A configuration with the parts of its name, in the order of the columns' `parts`."""

    parts: list[str]


class NamePart(Part):
    """A part of the configurations' names, by which the script filters."""

    key: str
    title: str


class Columns(Part):
    """All rows of one metric as columns of equal length; `group`, `subject`, `status` and `verdict` are indices.

    Ends of intervals are counted in units of the median's last digit, from the median; ratios in hundredths.
    """

    groups: list[ColumnsGroup]
    configurations: list[NamedConfiguration] = Field(alias="subjects")
    statuses: list[str]
    group: list[int]
    configuration: list[int] = Field(alias="subject")
    status: list[int]
    n: list[int]
    median: list[float | None]
    low: list[int | None]
    high: list[int | None]
    ratio: list[int | None]
    ratio_low: list[int | None]
    ratio_high: list[int | None]
    bounds: dict[str, int] = Field(description="row -> what its ratio is, where it is not exact")
    tier: list[int | None]
    verdicts: list[Verdict]
    verdict: list[int | None]
    parts: list[NamePart]
    least: float
    most: float
    marks: list[int]
    paths: dict[str, str | None] = Field(description="row -> address that does not follow from group and configuration")
