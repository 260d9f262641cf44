"""Published studies: the list of all (`study/section.html`), and the audit of each (`study/audit.html`)."""

from pydantic import Field

from spindlemark.analysis.studies.claim_verdict import Verdict
from spindlemark.site.models.base import Fact, Part
from spindlemark.site.models.printed_model import PrintedTable


class Place(Part):
    """A place of a study."""

    text: str
    url: str | None = Field(description="of the printed table; null for a place in the text")


class NamedFile(Part):
    """A file of a study."""

    name: str
    path: str


class VerdictCount(Part):
    """How many claims have a verdict."""

    verdict: Verdict
    title: str
    count: int
    fragment: str = Field(alias="anchor")


class MissingWord(Part):
    """A printed word for a missing result."""

    word: str
    meaning: str


class Beyond(Part):
    """What of the study is not measured here, and why."""

    what: str
    why: str


class StudyFacts(Part):
    """Machine, software, method and units of a study."""

    rows: list[Fact]
    method: list[str]
    repetitions: str
    units: list[str]
    missing: list[MissingWord]
    beyond: list[Beyond]


class ShownSlip(Part):
    """An error of the authors that several claims repeat."""

    what: str
    rows: str
    url: str
    first: str


class Claim(Part):
    """A claim of the text."""

    fragment: str = Field(alias="anchor")
    place: Place
    quote: str
    claimed: str
    figures: str
    reading: str | None
    tolerance: str | None
    why: str | None
    notes: list[str]
    hints: list[str]
    query: str | None
    links: list[Place]
    cite: str = ""


class RuleRow(Part):
    """One printed value of a rule."""

    fragment: str = Field(alias="anchor")
    key: str
    place: Place
    claimed: str
    figures: str
    notes: list[str]
    hints: list[str]


class Rule(Part):
    """Printed values of one kind, each derived again."""

    label: str
    fragment: str = Field(alias="anchor")
    quote: str
    place: str
    unit: str
    reading: str | None
    query: str
    count: str
    relation: str | None
    explained: bool
    rows: list[RuleRow]


class Section(Part):
    """The claims with one verdict."""

    verdict: Verdict
    title: str
    fragment: str = Field(alias="anchor")
    rows: int
    count: int
    slips: list[ShownSlip]
    claims: list[Claim]
    rules: list[Rule]


class ShownOmission(Part):
    """What a table shows and the text does not mention."""

    fragment: str = Field(alias="anchor")
    place: Place
    statement: str
    query: str


class Suspicion(Part):
    """Cells that follow a suspicious pattern."""

    places: list[Place]
    statement: str


class Pattern(Part):
    """Suspicious cells of one kind."""

    title: str
    rows: list[Suspicion]


class Covered(Part):
    """How many cells of one table we declare, measure and have released."""

    title: str
    url: str
    cells: int
    declared: int
    measured: int
    released: int


class Study(Part):
    """A study with its audit and its tables."""

    id: str
    path: str
    tables_path: str
    then_path: str
    title: str
    about: str
    tables: int
    cells: int
    samples: int
    pattern_count: int
    verdicts: list[VerdictCount]
    total: int
    statement: str
    facts: StudyFacts
    sections: list[Section]
    omissions: list[ShownOmission]
    patterns: list[Pattern]
    printed: list[PrintedTable]
    files: list[NamedFile]
    coverage: list[Covered]


class VagueWord(Part):
    """A vague word, with the threshold that it is tested with."""

    word: str
    spelled: str
    means: str
    reason: str


class Total(Part):
    """The sum over all studies."""

    studies: int
    claims: int
    patterns: int
    cells: int
    samples: int
    verdicts: dict[Verdict, int]
    words: list[VagueWord]
    statement: str


class Studies(Part):
    """All studies (`study/section.html`)."""

    total: Total
    studies: list[Study]
