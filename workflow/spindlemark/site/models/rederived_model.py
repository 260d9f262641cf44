"""Conclusions of the studies, derived again (`study/rederived.html`)."""

from pydantic import Field

from spindlemark.analysis.studies.published_model import Outcome
from spindlemark.site.models.base import Part, Testbed


class OutcomeCount(Part):
    """How many cells have an outcome."""

    outcome: Outcome
    title: str
    count: int


class RederivedCell(Part):
    """A printed conclusion, derived again from the study's samples and from those measured here."""

    row: str
    column: str
    published: str
    ours: str
    by_average: str | None
    outcome: Outcome
    decided_by: str | None
    why: str
    heading: str
    title: str
    now: str | None
    now_path: str | None


class RederivedTable(Part):
    """A table of conclusions (`study/rederived.html`)."""

    source: str
    study: str
    path: str
    number: str | None
    title: str
    fragment: str = Field(alias="anchor")
    url: str
    statement: str
    counts: list[OutcomeCount]
    cells: list[RederivedCell]
    again: Testbed | None = Field(alias="anew")
    cite: str = ""
