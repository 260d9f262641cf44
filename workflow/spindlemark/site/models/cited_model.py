"""Citation and files of a version (`data/page.html`), and its permalinks (`cite/section.html`)."""

from pydantic import Field

from spindlemark.site.models.base import Part


class Licence(Part):
    """A licence."""

    identifier: str
    title: str
    address: str


class CitationFile(Part):
    """The citation in one format."""

    title: str
    path: str
    text: str


class MetaTag(Part):
    """A tag in the head of each page."""

    name: str
    content: str


class CitedVersion(Part):
    """The declaration of the data set; unreleased results cannot be cited."""

    title: str
    licence: Licence
    code_licence: Licence
    repository: str | None
    site: str | None
    description: str


class CitedRelease(CitedVersion):
    """How to cite a release (`data/page.html`)."""

    sentence: str
    statement: str
    archive: str | None = Field(description="address of the whole version in one file")
    again: str = Field(description="commands that reproduce it")
    formats: list[CitationFile]
    highwire: list[MetaTag]
    jsonld: str


class CitableItem(Part):
    """A part of a page that has a permalink."""

    code: str
    kind: str
    place: str
    title: str
    picture: str = ""


class CitablePage(Part):
    """The permalinks of one page (`cite/section.html`)."""

    title: str
    items: list[CitableItem]


class Download(Part):
    """A file that is offered (`data/page.html`)."""

    path: str
    name: str
    media_type: str
    bytes: int
    size: str
    sha256: str
    about: str
    spreadsheet: bool = Field(description="a table that is small enough for one; the page makes it from Parquet")
