"""The page Explore (`explore/section.html`): its metrics and presets, and the columns that its script reads."""

from pydantic import Field

from spindlemark.analysis.findings.model import Verdict
from spindlemark.core.record import Better
from spindlemark.site.models.base import Configuration, Part


class ExploreMetric(Part):
    """A metric that can be chosen."""

    family: str
    metric: str
    path: str
    title: str
    unit: str
    kind: str
    better: Better
    measured: bool
    columns: str = Field(description="address of the columns")
    svg: str = Field(default="", description="drawing of the first metric of a family, for the workflow's report")
    cite: str = ""


class Preset(Part):
    """Metrics that are worth seeing side by side."""

    title: str
    query: str


class Explore(Part):
    """What the page offers."""

    metrics: list[ExploreMetric]
    presets: list[Preset]


class ColumnsGroup(Part):
    """A group of the columns; `start` and `end` surround the configuration in the address of its experiment."""

    name: str
    title: str
    library: str
    session: str
    days: str = Field(description="titles of the sessions, in their order")
    workload: str
    testbed: str
    device: str
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
