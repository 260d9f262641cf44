"""Printed tables of a study (`study/tables.html`)."""

from pydantic import Field

from spindlemark.site.models.base import Part


class PrintedColumn(Part):
    """A printed column."""

    heading: str
    num: bool
    unit: str | None
    wrong: str | None = Field(description="the printed unit where another is meant")


class CellMark(Part):
    """Why a printed cell is marked."""

    sign: str
    kind: str
    text: str
    url: str


class PrintedCell(Part):
    """A printed cell."""

    text: str
    head: bool
    num: bool
    why: str | None
    marks: list[CellMark]


class PrintedTable(Part):
    """A printed table."""

    name: str
    fragment: str = Field(alias="anchor")
    number: str | None
    title: str
    section: str
    note: str | None
    csv: str
    size: str
    columns: list[PrintedColumn]
    rows: list[list[PrintedCell]]
    units: list[str]
    cite: str = ""
