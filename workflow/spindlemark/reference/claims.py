"""The typed shape of `claims.yaml`: what a study concludes, and the query that derives it again from its figures."""

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from spindlemark.declare import read_yaml
from spindlemark.errors import UserError
from spindlemark.record import Closed

Relation = Literal["equal", "about", "nearly", "over", "at most", "at least", "within"]
LONGEST_QUOTE = 20  # words


class Claim(Closed):
    """One conclusion of the text, or one printed value that follows from others."""

    place: str = Field(description="section, table or figure")
    quote: str = Field(description="at most 20 words of the document")
    claimed: str | list[str] = Field(
        description="as printed, so that its precision is known; a list for a row of values"
    )
    unit: str = ""
    relation: Relation = "equal"
    tolerance: float | None = Field(default=None, gt=0, description="instead of half the last printed digit")
    reading: str | None = Field(default=None, description="how words that are no number are read")
    query: str | None = Field(default=None, description="SQL that gives the value, or the row, from the loaded figures")
    why: str | None = Field(default=None, description="why it cannot be derived")
    cause: str | None = Field(default=None, description="SQL that gives a sentence on what may have gone wrong")

    @model_validator(mode="after")
    def _derivable_or_not(self) -> "Claim":
        if bool(self.query) == bool(self.why):
            raise ValueError("give either query or why")
        if self.tolerance and not self.reading:
            raise ValueError("a tolerance of its own needs the reading that it comes from")
        if len(self.quote.split()) > LONGEST_QUOTE:
            raise ValueError(f"the quote has more than {LONGEST_QUOTE} words")
        return self


class Rule(Closed):
    """One kind of derivable printed value, checked in each row where it is printed."""

    place: str
    quote: str = Field(description="what the printed value is, as the heading says")
    unit: str = ""
    relation: Relation = "equal"
    tolerance: float | None = Field(default=None, gt=0)
    reading: str | None = None
    query: str = Field(description="SQL that gives key, place, claimed (as printed) and recomputed, one row per claim")
    cause: str | None = Field(default=None, description="SQL that gives key and a sentence on what may have gone wrong")


class Claims(Closed):
    """All claims of one study."""

    claims: dict[str, Claim] = Field(description="id -> claim")
    rules: dict[str, Rule] = Field(default={}, description="id -> rule; its claims are called id/key")


def read(folder: Path) -> Claims:
    """The study's `claims.yaml`; raises UserError naming file and key."""
    claims = read_yaml(folder / "claims.yaml", Claims)
    both = sorted(set(claims.claims) & set(claims.rules))
    if both:
        raise UserError(f"{folder / 'claims.yaml'}: {both[0]}: is a claim and a rule", "rename one of them")
    return claims
