"""Charts as values: curves, crops and matrices, which each family's builder returns.

`chart_parts.py` draws all of them in the same way and adds a table of their values.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from spindlemark.analysis.findings.model import Cell, Contrast, Findings, Group
from spindlemark.core.metric import Kind
from spindlemark.site.query import Key, Row


class Axis(NamedTuple):
    """An axis. `unit` and `kind` format its values (see `analysis.format`).

    `zero`: it starts at 0; `whole`: its values are whole numbers.
    """

    title: str
    unit: str = "1"
    kind: Kind | None = None
    log: bool = False
    zero: bool = True
    whole: bool = False


class Point(NamedTuple):
    """The value of a configuration, or of a study, at one x, with its interval if there is one.

    `shift`: distance by which it is drawn further right to keep other points visible; tables and tooltips show x.
    """

    name: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    shift: float = 0.0


@dataclass(frozen=True)
class Curves:
    """One curve per configuration, through its points in the order of x.

    `caption` explains the chart; it is empty if another chart of the group explains both. `published`: points of studies, drawn in
    grey.
    """

    name: str
    title: str
    caption: str
    x: Axis
    y: Axis
    points: Sequence[Point]
    published: Sequence[Point] = ()


class Crop(NamedTuple):
    """A small PNG image with its title and its text alternative."""

    png: bytes
    title: str
    alt: str


@dataclass(frozen=True)
class Crops:
    """Small images in rows with headings; the first image of a row is the original."""

    name: str
    title: str
    caption: str
    rows: Sequence[tuple[str, Sequence[Crop]]]


class Mark(NamedTuple):
    """One field of a matrix: a short text and its rating, `none` if there is nothing to rate."""

    word: str
    state: Literal["good", "partly", "bad", "none"]


@dataclass(frozen=True)
class Matrix:
    """A field for each row and column. `down` and `across` name rows and columns."""

    name: str
    title: str
    caption: str
    down: str
    across: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Mark]]]


Chart = Curves | Crops | Matrix


class ChartData:
    """What a chart may use in addition to its group: related groups, factors, and attachments of records."""

    def __init__(
        self,
        findings: Findings,
        records: dict[Key, list[Row]],
        factors: dict[Key, list[Row]],
        record: Callable[[Row], dict[str, Any]],
    ) -> None:
        """`record` reads the record of a row."""
        self._records, self._factors, self._record = records, factors, record
        self._groups: dict[tuple, list[Group]] = {}
        self._contrasts = findings.contrasts
        for group in findings.groups:
            self._groups.setdefault(self._question(group), []).append(group)

    def same_question(self, group: Group) -> list[Group]:
        """Return the groups of the same question, testbed and session, including this one: they differ in their workload."""
        return self._groups.get(self._question(group), [])

    def on_every_testbed(self, group: Group) -> list[Group]:
        """Return those of `same_question`, then the newest ones of other testbeds, which may be of other sessions."""
        others: dict[tuple[str, str], Group] = {}
        for each in (each for own in self._groups.values() for each in own):
            if (each.family, each.question) == (group.family, group.question) and each.testbed != group.testbed:
                others.setdefault((each.testbed, each.library), each)  # the newest comes first
        return [*self.same_question(group), *others.values()]

    @staticmethod
    def _question(group: Group) -> tuple:
        return group.family, group.question, group.testbed, group.session

    def contrasts(self, group: Group, question: str) -> list[Contrast]:
        """Return the contrasts of a group's configurations with the baseline of a question, for each metric and over all."""
        return [row for c in self._contrasts if (c.group, c.question) == (group.group, question) for row in c.rows]

    def factors(self, cell: Cell) -> dict[str, str]:
        """Return the factors of a cell's experiment by name, for example `rate.bytes_per_second`."""
        return {row["name"]: row["value"] for row in self._factors.get((cell.experiment, cell.identity), [])}

    def attachments(self, cell: Cell) -> list[dict[str, Any]]:
        """Return the attachments of each successful repetition, in order."""
        return [record.get("attachments") or {} for record in self._successful((cell.experiment, cell.identity))]

    def pooled_attachments(self, cell: Cell) -> list[dict[str, Any]]:
        """Return those of all identities with the same factors, testbed and machine: each kernel and version of a tool has its own."""
        own = self._records[cell.experiment, cell.identity][0]
        wanted = self._declared(self._record(own))
        keys = [
            key
            for key, rows in self._records.items()
            if key[0] == cell.experiment and (rows[0]["testbed"], rows[0]["family"]) == (own["testbed"], own["family"])
        ]
        found = [record for key in keys for record in self._successful(key) if self._declared(record) == wanted]
        return [record.get("attachments") or {} for record in found]

    def _successful(self, key: Key) -> Iterator[dict[str, Any]]:
        """Yield the records of the successful repetitions of an identity, in order."""
        yield from (self._record(row) for row in self._records.get(key, []) if row["status"] == "ok")

    @staticmethod
    def _declared(record: dict[str, Any]) -> tuple[Any, Any]:
        experiment = record["experiment"]
        return experiment["factors"], experiment["fingerprint"]["machine"]


@dataclass(frozen=True, kw_only=True)
class Builder:
    """How the charts of a family are built; each family's module ends with `BUILDER = Builder(...)`.

    `draw` returns the charts of a group in their order. `first` names the family's main charts. `shows_published`: they
    include values of a study. `factors`: the family's factors that they use.
    """

    draw: Callable[[Group, ChartData], Sequence[Chart]]
    first: Sequence[str] = ()
    factors: Sequence[str] = ()
    shows_published: bool = False
