"""Closed models of a citation: `config/citation.yaml` and the summary of the cited records."""

from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from spindlemark.config import read_yaml
from spindlemark.core.limits import PLAIN
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Better, Closed

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000, pattern=PLAIN)]
Address = Annotated[str, StringConstraints(max_length=1000, pattern=r"^https?://[^\s\x00-\x1f\x7f-\x9f<>{}\\^`|\"]+$")]
Doi = Annotated[str, StringConstraints(pattern=r"^10\.[0-9]{4,9}/[^\s\x00-\x1f\x7f-\x9f{}]+$", max_length=200)]


class Organisation(Closed):
    """An author that is an organisation."""

    organisation: Text

    @property
    def name(self) -> str:
        """The name in a list of authors."""
        return self.organisation


class Person(Closed):
    """An author with separate family and given names, as citation formats require."""

    family: Text
    given: Text
    orcid: Address | None = None

    @property
    def name(self) -> str:
        """The name in a list of authors: family name, given name."""
        return f"{self.family}, {self.given}"


class Licence(Closed):
    """A licence: SPDX identifier, name, and address of its text."""

    identifier: Text = Field(description="SPDX identifier")
    title: Text
    address: Address


class Licences(Closed):
    """The licences of the program and of the results."""

    code: Licence
    data: Licence


class Citation(Closed):
    """Declared facts about the data set, which do not follow from measurements."""

    title: Text
    description: Text
    authors: list[Organisation | Person] = Field(min_length=1)
    publisher: Text
    keywords: list[Text] = Field(min_length=1)
    language: Annotated[str, StringConstraints(pattern="^[a-z]{2}$")]
    licences: Licences
    # Known only after publication (`release/publication.py`). Old releases declare them as null.
    repository: Address | None = Field(default=None, description="address of the source code")
    site: Address | None = Field(default=None, description="address under which the versions are served")
    doi: Doi | None = Field(default=None, description="of the version")
    concept_doi: Doi | None = Field(default=None, description="of all versions, resolves to the newest")


class Variable(Closed):
    """One metric with its family's description."""

    name: str
    title: str
    unit: str
    better: Better
    description: str


class Measured(Closed):
    """Summary of a version's records, derived from the records alone."""

    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)

    statement: str = Field(description="generated sentences: measurements and machines")
    profile: str
    profiles: dict[str, list[str]] = Field(
        default={}, description="profile -> its measured families, where the version has results of several profiles"
    )
    testbeds: list[str]
    families: dict[str, int] = Field(description="family and its method number")
    configurations: list[str] = Field(alias="subjects")
    libraries: list[str]
    experiments: int
    repetitions: int
    statuses: dict[str, int] = Field(description="repetitions per status")
    measurements: int
    first: date = Field(description="UTC day on which the first repetition started")
    last: date = Field(description="UTC day on which the last repetition ended")
    commits: list[str] = Field(description="commits of the code that measured; + if files differed from the commit")
    variables: list[Variable]


def load(path: Path = CONFIG / "citation.yaml") -> Citation:
    """Read the declaration of the citation; raises UserError naming file and key."""
    return read_yaml(path, Citation)


def address(citation: Citation, version: str) -> str | None:
    """Return the address of a version: its page on the site, else the repository, else None."""
    if citation.site:
        return f"{citation.site.rstrip('/')}/{version}/"
    return citation.repository


def abstract(citation: Citation, measured: Measured) -> str:
    """Return the description and the generated sentences about the measurements."""
    return f"{citation.description} {measured.statement}"


def sentence(citation: Citation, version: str, released: date | None) -> str:
    """Return a one-line citation: authors (year). title (version) [Data set]. publisher. address."""
    authors = "; ".join(author.name for author in citation.authors)
    year = released.year if released else "unreleased"
    where = f"https://doi.org/{citation.doi}" if citation.doi else address(citation, version)
    publisher = "" if citation.publisher == authors else f" {citation.publisher}."
    found = f" {where}" if where else ""
    return f"{authors} ({year}). {citation.title} (version {version}) [Data set].{publisher}{found}"
