"""The model of `audit.json`: everything that the audit pages show."""

from pathlib import Path

from pydantic import Field

from spindlemark.analysis.studies.claim_verdict import Verdict
from spindlemark.analysis.studies.suspicious_patterns import Anomaly
from spindlemark.core.record import Closed, read_model

AUDIT_FORMAT = 2


class Link(Closed):
    """Where the rows behind a claim are: a printed table, one metric of one experiment, or a family."""

    table: str | None = None
    family: str | None = None
    experiment: str | None = None
    metric: str | None = None


class Checked(Closed):
    """One claim with its verdict."""

    source: str
    id: str
    rule: str | None = Field(description="the rule that it comes from; null: written on its own")
    place: str
    quote: str
    claimed: list[str]
    unit: str
    relation: str
    vague: str | None = Field(description="the vague word whose threshold is claimed, from vague.yaml")
    reading: str | None
    tolerance: float | None = Field(description="in the claim's unit; null where no distance is compared")
    recomputed: list[float | str | bool | None] = Field(description="empty when it is not derivable")
    right: list[str] = Field(description="recomputed values to the claimed precision")
    verdict: Verdict
    slip: str | None = Field(default=None, description="the slip that shows here and in other claims")
    why: str | None = Field(description="why it is not derivable; an auditor's note, written by hand")
    query: str | None
    links: list[Link]
    notes: list[str] = Field(
        description="auditors' notes on what may have gone wrong: written by hand, their figures filled in by a query"
    )
    hints: list[str] = Field(description="generated sentences on how a wrong value may have come about")
    statement: str = Field(description="one generated sentence")


class Slipped(Closed):
    """One slip that shows in several claims."""

    source: str
    id: str
    what: str
    claims: list[str] = Field(description="ids of the claims that it makes fail")


class Omitted(Closed):
    """What a table shows and the text does not mention."""

    source: str
    id: str
    place: str
    statement: str
    query: str


class Study(Closed):
    """One study and how its claims came out."""

    source: str
    title: str
    tables: int
    cells: int
    samples: int
    rows: int = Field(description="checked values; `verdicts` counts a slip once, however many of them it shows in")
    verdicts: dict[Verdict, int]


class Audit(Closed):
    """Everything the audit pages say."""

    audit_format: int = AUDIT_FORMAT
    studies: list[Study]
    claims: list[Checked]
    slips: list[Slipped]
    anomalies: list[Anomaly]
    omissions: list[Omitted] = []


def read(path: Path) -> Audit:
    """Read the file; raises UserError naming file and key."""
    return read_model(Audit, path, "move it away, then: ./spindlemark site")
