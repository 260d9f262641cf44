"""The list of all experiments (`experiment/section.html`)."""

from pydantic import Field

from spindlemark.site.models.base import Configuration, Part


class Listed(Part):
    """An experiment in the list of all."""

    path: str
    title: str
    n: int
    statuses: list[str] = Field(description="other than ok")
    day: str = Field(description="on which it began, where a cell has several; else empty")


class IndexRow(Part):
    """The experiments of one configuration, by workload."""

    configuration: Configuration = Field(alias="subject")
    cells: list[list[Listed]]


class IndexTable(Part):
    """The experiments of one testbed and family (`experiment/section.html`)."""

    testbed: str
    family: str
    columns: list[str]
    rows: list[IndexRow]
    count: int
    page: str
