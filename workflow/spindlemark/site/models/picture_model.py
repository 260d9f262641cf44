"""Pictures of a group: curves with a table of their values, crops in rows, matrices (`group/pictures.html`)."""

from typing import Literal

from pydantic import Field

from spindlemark.site.models.base import Configuration, Part


class Titled(Part):
    """The text of every picture."""

    name: str
    fragment: str = Field(alias="anchor")
    title: str
    says: str
    cite: str = Field(default="", description="code of its permalink, in a release")


class Value(Part):
    """A row of the table of a chart's values."""

    configuration: Configuration = Field(alias="subject")
    x: str
    y: str
    interval: str


class Curves(Titled):
    """A chart, with the table of the same values."""

    svg: str
    spec: str = Field(description="address of its Vega-Lite specification")
    x: str
    y: str
    values: list[Value]


class Image(Part):
    """A crop of a picture, of `width` x `height` pixels."""

    src: str
    title: str
    alt: str
    width: int
    height: int


class ImageRow(Part):
    """Crops of one row."""

    heading: str
    images: list[Image]


class Crops(Titled):
    """Crops in rows."""

    rows: list[ImageRow]


class Mark(Part):
    """One field of a matrix."""

    word: str
    state: Literal["good", "partly", "bad", "none"]


class MarkRow(Part):
    """One row of a matrix."""

    heading: str
    marks: list[Mark]


class Fields(Part):
    """Rows and columns of a matrix; `down` and `across` say what they are."""

    down: str
    across: str
    columns: list[str]
    rows: list[MarkRow]


class Matrix(Titled):
    """A table of marks."""

    matrix: Fields


Picture = Curves | Crops | Matrix
