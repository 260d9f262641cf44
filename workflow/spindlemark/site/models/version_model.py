"""The version, as each page names it (`baseof.html`), and the list of all versions."""

from typing import Literal

from pydantic import Field

from spindlemark.site.models.base import Fact, Part


class Released(Part):
    """A release."""

    version: str
    released: str = Field(description="ISO date")
    statement: str


class Measured(Part):
    """Counts and days of the measurements."""

    experiments: int
    repetitions: int
    ok: int = 0
    not_ok: int = 0
    first: str = ""
    last: str = ""
    configurations: int = Field(default=0, alias="subjects")


class MeasuredTestbed(Part):
    """A testbed with results; the two flags are missing where no group has one."""

    name: str
    title: str
    emulated: bool = False
    virtual: bool = False
    kernel: str
    mark: str
    description: str


class Family(Part):
    """A family with results."""

    family: str
    title: str
    path: str


class Thresholds(Part):
    """The thresholds of the statistics."""

    range: int
    confidence: str
    threshold: str
    shortest_seconds: str
    width: str


class Card(Part):
    """The picture that other sites show with a link to the version or a question."""

    path: str
    width: int
    height: int
    alt: str


class Version(Part):
    """What every page says of the version (`baseof.html`)."""

    version: str
    label: str
    unreleased: bool
    released: str | None
    newest: str | None
    policy: str = Field(description="content security policy")
    versions: list[Released]
    empty: bool
    measured: Measured
    machine: list[Fact]
    testbeds: list[MeasuredTestbed]
    kernels: bool
    families: list[Family]
    declared: Thresholds
    machines: bool
    card: Card
    cards: dict[str, Card] = Field(description="of questions, by the address of their page")


class VersionList(Part):
    """`versions.json` at the root of the site: the releases, newest first."""

    generator: Literal["spindlemark"]
    format: int
    versions: list[Released]
