"""Answers: the recommendation of a group, whole on its own page and in short on others."""

from pydantic import Field

from spindlemark.analysis.findings.model import Task, Verdict
from spindlemark.site.models.base import Configuration, Fact, Link, Part, Strip, Testbed


class Sessions(Part):
    """In how many sessions the answer is the same."""

    text: str
    contradicting: list[Link]
    decided: list[Link]


class Option(Part):
    """One option, with the recipe that applies its settings."""

    option: int
    configuration: Configuration = Field(alias="subject")
    score: str
    tier: int
    share: float | None
    verdict: Verdict | None
    probability: str | None
    settings: list[Fact]
    recipe: str
    costs: list[str]


class Ranked(Part):
    """A configuration with its verdict against the first one."""

    configuration: Configuration = Field(alias="subject")
    share: float | None
    text: str
    verdict: Verdict | None
    score: str
    multiple: str = Field(description="weighted cost as a multiple of that of the first option")
    interval: str
    range: str = Field(
        description="the same ratio over the sessions, from the smallest to the largest; empty for one session"
    )
    plot: Strip | None = Field(description="estimate, interval and a dot for each session; null for one session")


class Answer(Part):
    """The recommendation on the group's own page (`group/answer.html`)."""

    verdict: Verdict
    need: str
    sessions: Sessions | None
    statements: list[str]
    options: list[Option]
    weighed: list[Ranked]
    tasks: list[Task]
    sentence: str
    templates: dict[str, str] = Field(description="sentences that the script of the weights fills in")
    several: bool
    disturbed: str = Field(default="", description="how many samples had background load; empty for none")
    cite: str = ""


class Brief(Part):
    """The answer of a group in a few lines (`group/list.html`, `library/answer.html`)."""

    title: str
    workload: str
    path: str
    testbed: Testbed
    notes: list[str]
    verdict: Verdict | None
    need: str = ""
    sessions: Sessions | None = None
    statements: list[str]
    options: list[Option]
