"""Machines: a page each (`machine/page.html`), and the replication of answers (`machine/section.html`)."""

from pydantic import Field

from spindlemark.site.models.base import Fact, Part


class MachineAnswer(Part):
    """The answer of one machine."""

    machine: str
    path: str
    own: bool
    processor: str
    kernels: list[str]
    verdict: str
    first: list[str]
    ranked: list[str]
    sessions: str


class Replicated(Part):
    """One question with the answer of each machine."""

    title: str
    device: str
    statement: str
    paths: list[str] = Field(description="pages of the version's own groups with this question")
    fragment: str = Field(alias="anchor")
    rows: list[MachineAnswer]


class Facet(Part):
    """A filter of the table."""

    key: str
    title: str
    values: list[str]


class Contribution(Part):
    """A contribution that is offered as a file."""

    path: str
    file: str
    sha256: str
    size: str
    days: str
    records: str
    commits: list[str]


class Figure(Part):
    """A configuration under one task."""

    median: str
    n: int
    tier: int | None
    interval: str


class FigureRow(Part):
    """A configuration under all tasks."""

    configuration: str = Field(alias="subject")
    cells: list[Figure | None]


class SessionAnswer(Part):
    """The answer of one session."""

    title: str
    device: str
    testbed: str
    session: str
    kernel: str
    verdict: str
    first: list[str]
    statement: str
    reasons: list[str]
    page: str | None = Field(description="of the version's own group")
    columns: list[str]
    rows: list[FigureRow]


class Machine(Part):
    """The page of a machine."""

    path: str
    name: str
    own: bool
    facts: list[Fact]
    bundles: list[Contribution]
    answers: list[SessionAnswer] = Field(alias="told")
    decided: int
    questions: int = Field(alias="asked")


class Machines(Part):
    """All machines of a version; empty for a version with one machine."""

    machines: list[Machine]
    replications: list[Replicated] = Field(alias="elsewhere")
    alone: int = Field(description="questions that only one machine answered")
    facets: list[Facet]
