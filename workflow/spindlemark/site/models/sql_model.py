"""The SQL console (`sql/page.html`)."""

from typing import Any

from pydantic import Field

from spindlemark.site.models.base import Part


class SqlColumn(Part):
    """A column of a table."""

    name: str
    type: str
    about: str


class SqlTable(Part):
    """A table that can be queried."""

    name: str
    file: str
    path: str
    rows: int
    size: str
    about: str
    columns: list[SqlColumn]


class SqlExample(Part):
    """A question as a query."""

    title: str
    text: str


class SqlConsole(Part):
    """The SQL console (`sql/page.html`)."""

    version: str
    config: dict[str, Any] = Field(description="of Vega-Lite")
    examples: list[SqlExample]
    tables: list[SqlTable]
