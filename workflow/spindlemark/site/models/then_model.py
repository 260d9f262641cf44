"""Then and now: published ratios next to those measured here (`study/then.html`)."""

from pydantic import Field

from spindlemark.site.models.base import Configuration, Part, Testbed


class Ratio(Part):
    """A ratio, with its place on a line of 1000 units."""

    value: float | None
    text: str
    interval: str
    n: int
    side: str | None
    low: float | None
    high: float | None
    x: int | None
    x1: int | None
    x2: int | None


class ThenRow(Part):
    """A configuration in the study and here."""

    configuration: Configuration = Field(alias="subject")
    base: bool
    then: Ratio | None
    now: Ratio | None
    says: str | None
    one: int = Field(description="place of 1 on the line")
    note: str = ""
    published: str | None = None


class SlopeLine(Part):
    """A configuration's line in a slope chart; heights in pixels, of its ends and of their labels."""

    configuration: Configuration = Field(alias="subject")
    then: str
    now: str
    y1: int
    y2: int
    label1: int
    label2: int


class Slope(Part):
    """A slope chart: then on the left, now on the right."""

    height: int
    lines: list[SlopeLine]


class ThenTask(Part):
    """One metric."""

    metric: str
    title: str
    base: str
    why: str | None
    rows: list[ThenRow]
    words: str
    note: str = ""
    aside: bool = Field(description="the study and this project cannot be compared in it")
    slope: Slope | None


class ThenEntry(Part):
    """A group, next to a study."""

    library: str
    path: str
    study: str
    kind: str
    source: str
    study_path: str
    testbed: Testbed
    then: str
    fragment: str = Field(alias="anchor")
    link: str
    tasks: list[ThenTask]
    claim: str = Field(default="", description="address of the claim, for an entry of that kind")
    page: str
    cite: str = ""
