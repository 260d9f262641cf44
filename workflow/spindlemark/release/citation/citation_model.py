"""What a citation says: the closed model of `config/citation.yaml` and of the measured set that is cited."""

from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from spindlemark.config import read_yaml
from spindlemark.core.limits import PLAIN
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Better, Closed

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000, pattern=PLAIN)]
Address = Annotated[str, StringConstraints(max_length=1000, pattern=r"^https?://[^\s\x00-\x1f\x7f-\x9f<>{}\\^`|\"]+$")]
Doi = Annotated[str, StringConstraints(pattern=r"^10\.[0-9]{4,9}/[^\s\x00-\x1f\x7f-\x9f{}]+$", max_length=200)]


class Organisation(Closed):
    """An author that is no single person."""

    organisation: Text

    @property
    def name(self) -> str:
        """As a list of authors has it."""
        return self.organisation


class Person(Closed):
    """An author, with the two parts of the name that formats of citations keep apart."""

    family: Text
    given: Text
    orcid: Address | None = None

    @property
    def name(self) -> str:
        """As a list of authors has it: family name, given name."""
        return f"{self.family}, {self.given}"


class Licence(Closed):
    """One licence, by its SPDX identifier, its name and where its text is."""

    identifier: Text = Field(description="SPDX identifier")
    title: Text
    address: Address


class Licences(Closed):
    """The licence of the program and that of the results."""

    code: Licence
    data: Licence


class Citation(Closed):
    """Everything about the data set that no measurement can tell."""

    title: Text
    description: Text
    authors: list[Organisation | Person] = Field(min_length=1)
    publisher: Text
    keywords: list[Text] = Field(min_length=1)
    language: Annotated[str, StringConstraints(pattern="^[a-z]{2}$")]
    licences: Licences
    # Known only of what is published: from its record, `release/publication.py`. Old releases declare them as null.
    repository: Address | None = Field(default=None, description="address of the source code")
    site: Address | None = Field(default=None, description="address under which the versions are served")
    doi: Doi | None = Field(default=None, description="of the version")
    concept_doi: Doi | None = Field(default=None, description="of all versions, leads to the newest")


class Variable(Closed):
    """One metric, as its family describes it."""

    name: str
    title: str
    unit: str
    better: Better
    description: str


class Measured(Closed):
    """The set of records that a version holds, as derived from the records alone."""

    statement: str = Field(description="generated sentence: what was measured on what")
    profile: str
    testbeds: list[str]
    families: dict[str, int] = Field(description="family and its method number")
    subjects: list[str]
    libraries: list[str]
    experiments: int
    repetitions: int
    statuses: dict[str, int] = Field(description="repetitions per status")
    measurements: int
    first: date = Field(description="UTC day on which the first repetition started")
    last: date = Field(description="UTC day on which the last repetition ended")
    commits: list[str] = Field(description="commits of the code that measured; + where files differed from the commit")
    variables: list[Variable]


def load(path: Path = CONFIG / "citation.yaml") -> Citation:
    """Read the declaration of the citation; raises UserError naming file and key."""
    return read_yaml(path, Citation)


def address(citation: Citation, version: str) -> str | None:
    """Where a version is found: its own page on the site, else the repository, else nowhere yet."""
    if citation.site:
        return f"{citation.site.rstrip('/')}/{version}/"
    return citation.repository


def abstract(citation: Citation, measured: Measured) -> str:
    """The description and the generated sentence of what was measured."""
    return f"{citation.description} {measured.statement}"


def sentence(citation: Citation, version: str, released: date | None) -> str:
    """One line to cite by: authors (year). title (version) [Data set]. publisher. address."""
    authors = "; ".join(author.name for author in citation.authors)
    year = released.year if released else "unreleased"
    where = f"https://doi.org/{citation.doi}" if citation.doi else address(citation, version)
    publisher = "" if citation.publisher == authors else f" {citation.publisher}."
    found = f" {where}" if where else ""
    return f"{authors} ({year}). {citation.title} (version {version}) [Data set].{publisher}{found}"
