"""The shape of `joined.json`: the machines of a version, and whether the answers of one hold on the others."""

from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import Field

from spindlemark.analysis.findings.model import Findings
from spindlemark.core.record import Closed, read_model
from spindlemark.release.contributions.machine import Machine

JOINED_FORMAT = 1
REMEDY = "move it away, then: ./spindlemark site"


class Heard(Closed):
    """One bundle with what its own records say: nothing of it was computed together with another's."""

    file: str
    sha256: str
    bytes: int
    machine: Machine
    sessions: list[str]
    records: int
    succeeded: int
    first: date
    last: date
    commits: list[str] = Field(description="of the program that measured it")
    findings: Findings


class Cell(Closed):
    """One subject under one task."""

    subject: str
    tier: int | None
    median: float | None
    low: float | None
    high: float | None
    n: int


class Tasked(Closed):
    """A weighted task of a group with its figures."""

    title: str
    metric: str
    unit: str
    cells: list[Cell]


class Told(Closed):
    """What one machine says in one session: a group of its findings, cut to what its page shows."""

    machine: str
    file: str | None = Field(description="the bundle; null for the version's own results")
    group: str
    family: str
    question: str
    library: str
    workload: str
    where: str = Field(description="the device in words; answers of two are never put together")
    testbed: str
    session: str
    kernel: str
    verdict: str
    first: list[str]
    ranked: list[str] = Field(description="every subject that could be weighed, best first")
    statement: str
    tasks: list[Tasked] = Field(description="empty for the version's own results, whose pages show them")
    reasons: list[str] = Field(default=[], description="why subjects have no result")


class Answer(Closed):
    """What all sessions of one machine say together."""

    machine: str
    verdict: Literal["better", "equivalent", "undecided", "sessions differ"]
    first: list[str] = Field(description="what leads in every session that decided")
    ranked: list[str]
    sessions: int
    decided: int
    kernels: list[str]


class Held(Closed):
    """On which machines a subject leads, of those that decided and measured it."""

    subject: str
    on: list[str]
    of: list[str]


class Elsewhere(Closed):
    """One question about one workload on one kind of device, asked of every machine that measured it."""

    family: str
    question: str
    library: str
    workload: str
    where: str
    answers: list[Answer]
    held: list[Held] = Field(description="the subject that leads on most machines first; empty where none decided")
    statement: str


class Known(Closed):
    """One machine of the version."""

    id: str
    slug: str
    name: str
    machine: Machine
    own: bool = Field(description="whether the version's own results were measured on it")
    kernels: list[str]
    devices: list[str]
    sessions: list[str]
    bundles: list[Heard] = Field(description="without their findings' groups")
    told: list[Told]


class Joined(Closed):
    """Everything that pages say about several machines."""

    joined_format: int = JOINED_FORMAT
    machines: list[Known]
    elsewhere: list[Elsewhere]


def read(path: Path) -> Joined:
    """Read the file; raises UserError naming file and key."""
    return read_model(Joined, path, REMEDY)
