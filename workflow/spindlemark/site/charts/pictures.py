"""The picture that people look at first: curves, crops and matrices as values, from each family's own builder.

How they look, and the table of the same values beside them, is the same for all (`chart_parts.py`).
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spindlemark.analysis.findings.model import Cell, Contrast, Findings, Group
from spindlemark.core.metric import Kind
from spindlemark.site import address
from spindlemark.site.query import Key, Row


class Axis(NamedTuple):
    """`unit` and `kind` format its values (see `analysis.format`); `zero`: it starts there; `whole`: it has whole numbers."""

    title: str
    unit: str = "1"
    kind: Kind | None = None
    log: bool = False
    zero: bool = True
    whole: bool = False


class Point(NamedTuple):
    """A configuration's value at one place of the axis, with its interval where there is one.

    `shift`: how much further right it is drawn, so that it does not hide another one; the table and what a pointer finds say x.
    """

    subject: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    shift: float = 0.0


@dataclass(frozen=True)
class Curves:
    """One curve per configuration, through its points in the order of x. `says` is what to see in it, in a sentence, unless that
    is at another picture of the group.

    `published`: points of what is no configuration, as those that a study prints, under a name that says so; they are drawn beside,
    in grey.
    """

    name: str
    title: str
    says: str
    x: Axis
    y: Axis
    points: Sequence[Point]
    published: Sequence[Point] = ()


class Crop(NamedTuple):
    """A small picture: PNG, what is below it, and what is to be seen for who does not see it."""

    png: bytes
    title: str
    alt: str


@dataclass(frozen=True)
class Crops:
    """Small pictures in rows, each with its heading; the first one of a row is what the others came from."""

    name: str
    title: str
    says: str
    rows: Sequence[tuple[str, Sequence[Crop]]]


class Mark(NamedTuple):
    """One field of a matrix: a word or two, and how good it is: good, partly, bad, or none where there is nothing to judge."""

    word: str
    state: Literal["good", "partly", "bad", "none"]


@dataclass(frozen=True)
class Matrix:
    """A field for each row and column. `down` and `across` say what rows and columns are."""

    name: str
    title: str
    says: str
    down: str
    across: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Mark]]]


Picture = Curves | Crops | Matrix


class Seen:
    """What a picture may show beside its group: the groups beside it, and what records hold besides measurements."""

    def __init__(
        self, findings: Findings, records: dict[Key, list[Row]], factors: dict[Key, list[Row]], static: Path
    ) -> None:
        """`static` is the folder of the version's site in which its records are offered."""
        self._records, self._factors, self._static = records, factors, static
        self._beside: dict[tuple, list[Group]] = {}
        self._contrasts = findings.contrasts
        for group in findings.groups:
            self._beside.setdefault(self._asked(group), []).append(group)

    def beside(self, group: Group) -> list[Group]:
        """The groups of the same question, testbed and session, this one too: they differ in their workload."""
        return self._beside.get(self._asked(group), [])

    @staticmethod
    def _asked(group: Group) -> tuple:
        return group.family, group.question, group.testbed, group.session

    def against(self, group: Group, question: str) -> list[Contrast]:
        """What a question with a baseline says of a group's configurations, one metric or all."""
        return [row for c in self._contrasts if (c.group, c.question) == (group.group, question) for row in c.rows]

    def factors(self, cell: Cell) -> dict[str, str]:
        """The factors of a cell's experiment, as rate.bytes_per_second."""
        return {row["name"]: row["value"] for row in self._factors.get((cell.experiment, cell.identity), [])}

    def attachments(self, cell: Cell) -> list[dict[str, Any]]:
        """What each repetition with a result kept, in their order."""
        found = [row for row in self._records.get((cell.experiment, cell.identity), []) if row["status"] == "ok"]
        return [json.loads((self._static / address.raw(row)).read_bytes()).get("attachments") or {} for row in found]


@dataclass(frozen=True, kw_only=True)
class Builder:
    """How a family's pictures are drawn: each module here ends with `BUILDER = Builder(...)`.

    `draw` returns the pictures of a group, the first one first. `first` names those by which the family is known, in
    their order. `beside_study`: they show what a study prints beside what was measured.
    """

    draw: Callable[[Group, Seen], Sequence[Picture]]
    first: Sequence[str] = ()
    beside_study: bool = False
