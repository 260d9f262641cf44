"""The typed shape of `source.yaml`: what a study is, and how each of its tables becomes rows of the long table."""

import re
from typing import Annotated, Literal

from pydantic import Field, model_validator

from spindlemark.analysis.studies.units import UNITS, same, unit_of
from spindlemark.core.record import Better, Closed, Scalar

Factors = dict[str, Scalar]


class Measure(Closed):
    """Columns of one table that hold one metric."""

    metric: str = Field(description="name that ends in its unit, as copy_seconds")
    title: str
    columns: list[str] | dict[str, Factors] = Field(
        description="a list: repetitions 1 to n of one experiment; a mapping: column -> factors that this column sets"
    )
    kind: Literal["sample", "derived"] = Field(
        default="sample", description="derived: computed by the authors (average, ratio); never in the long table"
    )
    printed_unit: str | None = Field(default=None, description="as printed; null where none is printed")
    unit: str = Field(description="what one printed 1 is worth: a unit of units.UNITS")
    share: bool = Field(default=False, description="of unit 1: each number is a share of 1 and not a count")
    reason: str | None = Field(default=None, description="why the unit is not the printed one")
    better: Better = "none"
    pattern: str | None = Field(
        default=None,
        description="regular expression: its first group is the number, a second group the unit; cells "
        "that do not match stay text",
    )
    form: Literal["number", "duration"] = "number"
    values: dict[str, float] | None = Field(default=None, description="number for each printed word")

    @model_validator(mode="after")
    def _unit_is_explained(self) -> "Measure":
        if self.unit not in UNITS:
            raise ValueError(f"unit {self.unit!r} is not known to units.UNITS")
        if unit_of(self.metric) != UNITS[self.unit][0]:
            raise ValueError(f"metric {self.metric!r} does not end in the name of the unit {UNITS[self.unit][0]!r}")
        if not self.reason and not same(self.printed_unit or "none", self.unit):
            raise ValueError(f"printed unit {self.printed_unit!r} is not {self.unit!r}: give the reason")
        if self.pattern:
            re.compile(self.pattern)
        return self


class Table(Closed):
    """One printed table, or the figures that the text states."""

    number: str | None = Field(default=None, description="as printed, as Table 18")
    title: str
    section: str
    line: int = Field(ge=1, description="line of the first row in the document's text")
    lines: int = Field(ge=1, description="how many lines of the text the table spans")
    columns: dict[str, str] = Field(description="column of the CSV -> printed heading")
    keys: list[str] = Field(description="columns that name a row; together they are unique")
    family: str | None = Field(default=None, description="null: no experiment, only cells")
    experiment: Annotated[list[str], Field(min_length=1)] | None = Field(
        default=None, description="parts of the experiments' names, with factor names in braces"
    )
    series: str = Field(default="main", description="tests that were run together; enters the identity")
    factors: Factors = {}
    rows: dict[str, Factors] = Field(default={}, description="row label -> factors that this row sets")
    restated: list[str] = Field(default=[], description="labels of rows that repeat figures of another table")
    fill_down: list[str] = Field(default=[], description="columns where an empty cell means the cell above")
    measures: list[Measure] = []
    note: str | None = None

    @model_validator(mode="after")
    def _names_exist(self) -> "Table":
        named = [*self.keys, *self.fill_down, *(c for m in self.measures for c in m.columns)]
        unknown = sorted(set(named) - set(self.columns))
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: no such column")
        if any(m.kind == "sample" for m in self.measures) and not (self.family and self.experiment):
            raise ValueError("a table with samples needs family and experiment")
        return self


class Counterpart(Closed):
    """What corresponds today to something that a study tested."""

    today: str = Field(description="its name in our experiments")
    title: str = Field(default="", description="what the study tested, in words")
    note: str = Field(default="", description="how the two differ")


class Caveat(Closed):
    """How the circumstances of then and now differ in one metric."""

    note: str
    compares: bool = Field(
        default=True, description="false: they differ in what decides the metric, so nothing follows"
    )


class Sized(Closed):
    """Printed rows of several sizes of one thing: the one of about our size is compared."""

    column: str = Field(description="of the CSV: the size")
    worth: float = Field(default=1, description="what one printed 1 is in the factor's unit")
    called: str = Field(description="a printed size in words, as {} MB")
    factor: str = Field(description="of ours: the size, as it was measured and not as it is called")
    metric: str = Field(description="of ours")


class Change(Closed):
    """Two columns of a printed table, before and after a change, and the question of ours that asks for the same."""

    family: str
    question: str = Field(description="its name in config/questions/, one with a baseline")
    configuration: str = Field(alias="subject", description="the changed side, as slugs have it: 9000")
    table: str = Field(description="stem of the CSV")
    before: str = Field(description="column of the CSV")
    after: str
    rows: dict[str, str] = Field(default={}, description="printed row label -> metric of the family")
    sized: Sized | None = Field(
        default=None, description="in the place of `rows`, where a table has one row for each size"
    )
    place: str = Field(
        default="", description="part of the slug that all sides of ours must share, as 9000; without it any"
    )
    where: dict[str, str] = Field(default={}, description="factor -> value that all sides of ours must have")
    called: str = Field(default="", description="what distinguishes it from the study's other changes of one question")
    address: str = Field(default="", description="part of its address that it has had since a release")
    note: str = Field(default="", description="how the two differ")


class Claimed(Closed):
    """A claim without figures, and the question of ours that asks for the same."""

    claim: str = Field(description="its name in claims.yaml")
    family: str
    question: str = Field(description="its name in config/questions/, one with a baseline")
    metric: str
    configurations: list[str] = Field(alias="subjects", description="sides that the claim is about, as slugs have them")
    place: list[str] = Field(default=[], description="parts of the slug that all sides of ours must share")
    note: str = Field(default="", description="how the two differ")


class Fed(Closed):
    """Printed streams that a server fed from a device, and the factor `device` of ours that stands for it."""

    family: str
    device: str = Field(description="name of the factor's value, as iVDR")
    streams: str = Field(description="stem of the CSV that says of each number of streams whether it was stable")
    stable: str = Field(description="how its result begins where it was")
    loads: dict[str, str] = Field(
        description="set-up -> stem of the CSV with the throughput of disk and network for each number"
    )
    rate: str = Field(description="item of text-figures: what one stream needs")
    bandwidth: str = Field(
        default="",
        description="item of text-figures: what the device gives, in the same unit; empty where "
        "none is printed, and then no share of it is shown",
    )
    where: dict[str, str] = Field(default={}, description="factor -> value that a group of ours must have")
    note: str = ""


class Scaled(Closed):
    """Products of numbers and, on our side, of factors by name."""

    times: list[float | str] = []
    over: list[float | str] = []


class Figure(Closed):
    """A printed figure that means the same on every machine, as bits per pixel, and our metric of the same quantity."""

    family: str
    metric: str
    title: str = Field(description="what the figure says")
    one: str = Field(description="what both are a multiple of, as one bit per pixel")
    table: str = Field(description="stem of the CSV")
    row: str = Field(description="printed row label")
    column: str = Field(description="of the CSV")
    called: str = Field(description="what the study measured")
    then: Scaled = Field(description="from the printed number to multiples")
    now: Scaled = Field(description="from the metric to multiples")
    where: dict[str, str] = Field(default={}, description="factor -> value that a group of ours must have")
    place: str = Field(
        default="", description="part that the slug of a group's workload must have, as natural; without it any"
    )
    noted: dict[str, str] = Field(
        default={}, description="what the environment of our repetitions must say, as codec.setting"
    )
    note: str = Field(default="", description="how the two differ")


class Grown(Closed):
    """A printed column over the size of the tested data, with our metric and factor of the same quantity."""

    family: str
    metric: str
    title: str
    table: str = Field(description="stem of the CSV")
    size: str = Field(description="column of the CSV")
    column: str
    factor: str = Field(description="of ours: the size")
    where: dict[str, str] = Field(default={}, description="factor -> value that a group of ours must have")
    note: str = Field(default="", description="how the two differ")


class StandIn(Closed):
    """A family of ours that measures in another way what a family of the study did; metrics have the same names."""

    family: str = Field(description="of the study's tables")
    caveats: dict[str, Caveat] = Field(
        default={}, alias="cautions", description="by metric, in the place of those of the study's own family"
    )


class Today(Closed):
    """Published names of settings and workloads, and those that are measured in their place."""

    configurations: dict[str, Counterpart] = Field(default={}, description="by published configuration, as ext4+m0")
    caveats: dict[str, Caveat] = Field(
        default={}, alias="cautions", description="by metric: what to keep in mind with its ratios"
    )
    families: dict[str, StandIn] = Field(default={}, description="by family of ours that has another name in the study")
    workloads: dict[str, dict[str, Counterpart]] = Field(default={}, description="family -> by published workload")
    experiments: dict[str, dict[str, str]] = Field(
        default={},
        description="family of ours -> regular expression for a published configuration--workload -> our experiment, with its groups",
    )
    metrics: dict[str, dict[str, str]] = Field(
        default={}, description="family of ours -> the study's metric -> ours, where the names differ"
    )
    fed: list[Fed] = Field(default=[], description="streams from a device, as shares of its rate")
    changes: list[Change] = Field(default=[], description="what a change brought, as ratios of two columns")
    grown: list[Grown] = Field(default=[], description="how something grows with size, as exponents")
    claims: list[Claimed] = Field(
        default=[], description="what is claimed without figures, and what was measured of it here"
    )
    figures: list[Figure] = Field(default=[], description="what can be compared with our metric unchanged")
    beyond: dict[str, str] = Field(
        default={}, description="what of the study cannot be measured again -> why, and what stands for it"
    )

    def family(self, ours: str) -> str:
        """The study's name of a family of ours."""
        return self.families[ours].family if ours in self.families else ours

    def caveat(self, ours: str, metric: str) -> Caveat | None:
        """What to keep in mind with the ratios of a metric of a family of ours."""
        return (self.families[ours].caveats if ours in self.families else self.caveats).get(metric)


class Source(Closed):
    """One published study."""

    id: str = Field(pattern=r"^\d{3}$", description="as in the long table's column `source`")
    title: str
    authors: list[str]
    date: str | None = Field(pattern=r"^\d{4}(-\d\d){0,2}$", description="as far as it is known: 2019-10")
    date_note: str | None = None
    document: str = Field(description="what kind of document it is")
    institution: str | None
    language: Literal["en", "ja"]
    url: str | None = None
    text: str = Field(description="file name of the document's text")
    sha256: str = Field(description="of that file")
    machine: dict[str, str]
    software: dict[str, str]
    method: list[str]
    repetitions: str = Field(description="how often each test was run, as the document says")
    units: list[str] = Field(description="notes on units as printed and as meant")
    testbed: str
    labels: dict[str, str] = Field(default={}, description="printed name in a key column -> name of ours")
    factor_names: dict[str, str] = Field(default={}, description="short factor name -> dotted name in the factor table")
    missing: dict[str, str] = Field(default={}, description="printed word for a missing result -> reason")
    today: Today | None = Field(default=None, description="what stands for the study's settings and workloads now")
    tables: dict[str, Table] = Field(description="stem of the CSV -> table")
