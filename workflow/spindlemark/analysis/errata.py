"""Errata: known errors in released figures, declared in `data/errata.yaml`. Releases are frozen, so their files keep the errors.

The site shows the errata of a release on its pages. The checks of a release leave out what an erratum explains: records of
the methods that had the error can be released again, and those of a later method are checked.
"""

from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
from pydantic import Field, StringConstraints, model_validator

from spindlemark.config import read_yaml
from spindlemark.core import declared
from spindlemark.core.limits import Name, Text
from spindlemark.core.paths import PROJECT, SQL
from spindlemark.core.record import Closed

FILE = PROJECT / "data" / "errata.yaml"
SCHEMA = pa.schema(
    [("check_name", pa.string()), ("family", pa.string()), ("metric", pa.string()), ("through_method", pa.int32())]
)
Version = Annotated[str, StringConstraints(pattern=r"^\d{4}\.\d{2}(\.\d+)?$")]
Sentence = Annotated[Text, StringConstraints(min_length=1)]


class Figure(Closed):
    """Wrong figures of one experiment: all that the release has of a metric or factor, and that are wrong."""

    testbed: Name
    experiment: str = Field(description="name of the experiment")
    quantity: str = Field(description="the metric, or the factor where a name contradicts it")
    values: list[float] = Field(description="different wrong values, in order; empty: the release has no value")


class Erratum(Closed):
    """One error: what is wrong, why, what replaces it, and where it is found."""

    title: Sentence
    family: Name
    metrics: list[str] = Field(default=[], description="the metrics that have the error; empty: it is in names")
    through_method: int = Field(ge=1, description="the last method of the family whose records have the error")
    checks: list[str] = Field(
        default=[], description="checks of workflow/sql/release_checks that leave these records out"
    )
    why: Sentence = Field(description="the cause")
    instead: Sentence = Field(description="what replaces the figures")
    releases: dict[Version, list[Figure]] = Field(description="release -> its wrong figures")

    @model_validator(mode="after")
    def _is_known(self) -> "Erratum":
        own = declared.families().get(self.family)
        if own is None:
            raise ValueError(f"family: there is no family {self.family}")
        for metric in self.metrics:
            if metric not in own.metrics:
                raise ValueError(f"metrics: {self.family} has no metric {metric}")
        for check in self.checks:
            if not (SQL / "release_checks" / f"{check}.sql").is_file():
                raise ValueError(f"checks: there is no workflow/sql/release_checks/{check}.sql")
        return self


Errata = dict[Name, Erratum]


def read(file: Path = FILE) -> Errata:
    """Name -> erratum; empty without a file. Raises UserError with file and key."""
    return read_yaml(file, Errata) if file.exists() else {}


def of_release(version: str, errata: Errata) -> dict[str, tuple[Erratum, list[Figure]]]:
    """Name -> the erratum and its figures in one release, for each that the release has."""
    return {name: (each, each.releases[version]) for name, each in errata.items() if version in each.releases}


def as_table(errata: Errata) -> pa.Table:
    """One row per check, family and metric that a check leaves out; an empty metric stands for names."""
    rows: list[dict[str, Any]] = [
        {"check_name": check, "family": each.family, "metric": metric, "through_method": each.through_method}
        for each in errata.values()
        for check in each.checks
        for metric in each.metrics or [""]
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)
