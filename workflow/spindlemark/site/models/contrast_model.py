"""Questions with a baseline as tables: on pages of groups, of families, and of kernels (`contrasts.html`)."""

from pydantic import Field

from spindlemark.site.models.base import Configuration, Nothing, Part


class Count(Part):
    """How many rows have a mark."""

    mark: str
    count: int


class Column(Part):
    """A metric, or the weighted cost."""

    title: str
    fragment: str | None = Field(
        alias="anchor", description="of the metric in the group's page; null for the weighted cost"
    )


class Cell(Part):
    """A configuration against its baseline under one metric."""

    ratio: str
    interval: str
    mark: str
    need: str
    values: str
    n: str


class Row(Part):
    """A configuration, or the change that the question is about."""

    name: str
    configuration: Configuration | None = Field(alias="subject")
    cells: list[Cell | None]


class RowBlock(Part):
    """Rows with the same baseline."""

    title: str
    rows: list[Row]


class Decided(Part):
    """The columns and rows in which something is decided."""

    columns: list[Column]
    blocks: list[RowBlock]


class Rest(Decided):
    """The other columns, or all rows."""

    title: str


class Side(Part):
    """A configuration that has a testbed of its own."""

    configuration: str = Field(alias="subject")
    testbed: str


class ContrastTable(Part):
    """The answer to one question, for one workload, place and session."""

    fragment: str = Field(alias="anchor")
    family: str
    question: str
    workload: str
    session: str
    testbed: str
    emulated: bool
    mark: str
    sides: list[Side]
    path: str | None = Field(description="page of the group; null where the configurations are of several")
    statements: list[str]
    counts: list[Count]
    columns: list[Column]
    blocks: list[RowBlock] = Field(description="empty where there are many: then `told` and `rest` have the content")
    decided: Decided | Nothing = Field(alias="told")
    rest: Rest | Nothing
    cite: str = ""


class Kernels(Part):
    """The page of kernels (`kernel/page.html`)."""

    entries: list[ContrastTable]
    kernels: list[str]
    emulated: bool
    counts: list[Count]
