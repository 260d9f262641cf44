"""Pieces that several kinds of page have."""

from typing import Generic, TypeVar

from pydantic import ConfigDict, Field

from spindlemark.core.record import Closed

Row = TypeVar("Row")


class Part(Closed):
    """A page or a part of it: all keys are known, and no value is converted to another type.

    A key with a default may be missing; the layouts treat a missing key as an empty one. A field has the project's term for
    it, and as its alias the key that layouts and scripts read.
    """

    model_config = ConfigDict(strict=True)


class Nothing(Part):
    """An empty object, in the place of one that has no content here."""


class Configuration(Part):
    """A configuration with its colour and shape."""

    name: str
    colour: int = Field(description="number of the CSS variable --s1 to --s10")
    shape: str


class Testbed(Part):
    """A testbed with its kernel and the note that accompanies its name."""

    name: str
    title: str
    emulated: bool
    virtual: bool
    kernel: str
    mark: str = Field(description="what a reader must know of it; empty for most")


class Fact(Part):
    """One entry of a list of facts."""

    label: str
    value: str


class Link(Part):
    """A link to a page of the version."""

    title: str
    path: str


class Block(Part, Generic[Row]):
    """Rows of one base configuration, the default first."""

    base: str = Field(description="empty where no base has two rows")
    rows: list[Row]


class Folded(Part, Generic[Row]):
    """A table that shows some rows first."""

    count: int = Field(description="of all rows")
    first: list[Row]
    blocks: list[Block[Row]] = Field(description="all rows; empty where `first` has all")


class Strip(Part):
    """Samples, interval and median on a line of 1000 units."""

    quiet: str = Field(description="SVG path")
    noisy: str = Field(description="SVG path")
    low: int | None
    median: int | None
    high: int | None
