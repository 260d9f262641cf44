"""The typed shape of `claims.yaml`: what a study concludes, and the query that derives it again from its figures."""

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from spindlemark.analysis.studies import vague_words
from spindlemark.analysis.studies.units import UNITS
from spindlemark.config import read_yaml
from spindlemark.core.errors import UserError
from spindlemark.core.record import Closed

Relation = Literal["equal", "about", "nearly", "over", "at most", "at least", "within"]
LONGEST_QUOTE = 20  # words


class Claim(Closed):
    """One conclusion of the text, or one printed value that follows from others."""

    place: str = Field(description="section, table or figure")
    quote: str = Field(description="at most 20 words of the document")
    claimed: str | list[str] = Field(
        default=[], description="as printed, so that its precision is known; a list for a row of values"
    )
    vague: str | None = Field(
        default=None, description="the vague word that is tried; relation, bound and unit are those of vague.yaml"
    )
    unit: str = ""
    units: list[str] = Field(
        default=[], description="units of units.UNITS that the text leaves open: each is tried, the best counts"
    )
    relation: Relation = "equal"
    reading: str | None = Field(default=None, description="how words that are not numbers are read")
    query: str | None = Field(
        default=None,
        description="SQL that gives the value, or the row, from the loaded figures; with `units` in the base unit",
    )
    why: str | None = Field(default=None, description="why it cannot be derived")
    cause: str | None = Field(default=None, description="SQL that gives a sentence on what may have gone wrong")
    right: str | None = Field(
        default=None,
        description="SQL that gives what would be right in words of its own, as in another unit; an empty text where it "
        "is not known",
    )
    note: str | None = Field(default=None, description="SQL that gives a sentence to show whatever the verdict")

    @model_validator(mode="after")
    def _whole(self) -> "Claim":
        if bool(self.query) == bool(self.why):
            raise ValueError("give either query or why")
        if bool(self.vague) == bool(self.claimed):
            raise ValueError("give either what is claimed or the vague word")
        if self.vague and self.vague not in vague_words.read():
            raise ValueError(f"vague.yaml has no word {self.vague!r}")
        unknown = [unit for unit in self.units if unit not in UNITS]
        if unknown or (self.units and self.unit):
            raise ValueError(f"{unknown[0]}: no such unit" if unknown else "give either unit or units")
        if len(self.quote.split()) > LONGEST_QUOTE:
            raise ValueError(f"the quote has more than {LONGEST_QUOTE} words")
        return self

    def tried(self) -> "Claim":
        """The claim with relation, bound and unit of its vague word; each value of a row has the same bound."""
        if not self.vague:
            return self
        word = vague_words.read()[self.vague]
        return self.model_copy(
            update={"claimed": word.bound, "relation": word.relation, "unit": self.unit or word.unit}
        )


class Rule(Closed):
    """One kind of derivable printed value, checked in each row where it is printed."""

    place: str
    quote: str = Field(description="what the printed value is, as the heading says")
    unit: str = ""
    relation: Relation = "equal"
    reading: str | None = None
    query: str = Field(
        description="SQL that gives key, place, claimed (as printed) and recomputed, one row per claim; recomputed is null "
        "where the claimed value is wrong and the right one is not known"
    )
    cause: str | None = Field(default=None, description="SQL that gives key and a sentence on what may have gone wrong")


class Slip(Closed):
    """One slip of the authors that shows in several claims; it counts once."""

    what: str = Field(description="one sentence")
    claims: list[str] = Field(min_length=1, description="ids of claims, or patterns such as number-in-list/*")


class Omission(Closed):
    """What a table shows and the text does not mention, although it is about that table."""

    place: str = Field(description="table, and the section that is about it")
    statement: str = Field(description="one sentence; each {} is a value of the query")
    query: str = Field(description="SQL that gives the values of the sentence")


class Claims(Closed):
    """All claims of one study."""

    claims: dict[str, Claim] = Field(description="id -> claim")
    rules: dict[str, Rule] = Field(default={}, description="id -> rule; its claims are called id/key")
    slips: dict[str, Slip] = Field(default={}, description="id -> slip")
    omissions: dict[str, Omission] = Field(default={}, description="id -> omission")


def read(folder: Path) -> Claims:
    """The study's `claims.yaml`; raises UserError naming file and key."""
    claims = read_yaml(folder / "claims.yaml", Claims)
    both = sorted(set(claims.claims) & set(claims.rules))
    if both:
        raise UserError(f"{folder / 'claims.yaml'}: {both[0]}: is a claim and a rule", "rename one of them")
    return claims
