"""The model of `joined.json`: the machines of a version, and the replication of answers between them."""

from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import Field

from spindlemark.analysis.findings.model import Findings
from spindlemark.core.migrations import JOINED_FORMAT
from spindlemark.core.record import Closed, read_any_format
from spindlemark.release.contributions.machine import Machine

REMEDY = "move it away, then: ./spindlemark site"


class AnalysedContribution(Closed):
    """One contribution with findings that were computed from its own records only."""

    file: str
    sha256: str
    bytes: int
    machine: Machine
    sessions: list[str]
    records: int
    succeeded: int
    first: date
    last: date
    commits: list[str] = Field(description="of the program that measured")
    findings: Findings


class Cell(Closed):
    """One configuration under one task."""

    configuration: str
    tier: int | None
    median: float | None
    low: float | None
    high: float | None
    n: int


class TaskFigures(Closed):
    """A weighted task of a group with its figures."""

    title: str
    metric: str
    unit: str
    cells: list[Cell]


class SessionAnswer(Closed):
    """The answer of one machine in one session: a group of its findings, reduced to the content of its page."""

    machine: str
    file: str | None = Field(description="the contribution; null for the version's own results")
    group: str
    family: str
    question: str
    library: str
    workload: str
    where: str = Field(description="the device in words; answers of different devices are never combined")
    compared: str = Field(
        default="", description="hash of method and workload; answers that differ in it are not compared"
    )
    testbed: str
    session: str
    kernel: str
    verdict: str
    first: list[str]
    ranked: list[str] = Field(description="each configuration with a score, best first")
    statement: str
    tasks: list[TaskFigures] = Field(description="empty for the version's own results, which have pages of their own")
    reasons: list[str] = Field(default=[], description="why configurations have no result")


class Answer(Closed):
    """The common answer of all sessions of one machine."""

    machine: str
    verdict: Literal["better", "equivalent", "undecided", "sessions differ"]
    first: list[str] = Field(description="configurations that lead in each session that decided")
    ranked: list[str]
    sessions: int
    decided: int
    kernels: list[str]


class Leader(Closed):
    """The machines on which a configuration leads (`on`), of those that measured it and decided (`of`)."""

    configuration: str
    on: list[str]
    of: list[str]


class Replication(Closed):
    """One question about one workload on one kind of device, with the answer of each machine that measured it."""

    family: str
    question: str
    library: str
    workload: str
    where: str
    answers: list[Answer]
    held: list[Leader] = Field(description="sorted by number of machines, most first; empty if no machine decided")
    statement: str


class KnownMachine(Closed):
    """One machine of the version."""

    id: str
    slug: str
    name: str
    machine: Machine
    own: bool = Field(description="whether the version's own results were measured on it")
    kernels: list[str]
    devices: list[str]
    sessions: list[str]
    contributions: list[AnalysedContribution] = Field(description="without their findings' groups")
    answers: list[SessionAnswer]


class Replications(Closed):
    """The content of pages about several machines."""

    joined_format: int = JOINED_FORMAT
    machines: list[KnownMachine]
    replications: list[Replication]


def read(path: Path) -> Replications:
    """Read a file of any format; raises UserError naming file and key."""
    return read_any_format(Replications, "joined", path, REMEDY)[0]
