"""Sentences on how a claim came out, made from its values and from nothing else."""

from collections.abc import Sequence

from spindlemark.analysis.studies.claim_model import Claim, Rule
from spindlemark.analysis.studies.claim_verdict import Value, Verdict, numbers, right_values
from spindlemark.analysis.studies.units import UNITS


def statement(claimed: list[str], right: list[str], claim: Claim | Rule, vague: str | None, verdict: Verdict) -> str:
    """One sentence on the outcome of a claim."""
    unit = f" {claim.unit}" if claim.unit else ""
    if isinstance(claim, Claim) and verdict == "not derivable":
        return f"{', '.join(claimed) or 'The claim'}{unit} cannot be derived: {claim.why}."
    if claimed == ["true"]:
        return "The figures support it." if verdict == "confirmed" else "The figures do not support it."
    joint = " to " if claim.relation == "within" else ", "
    words = "" if claim.relation in ("equal", "within") else f"{claim.relation} "
    claim_words = claimed[0] if vague else joint.join(claimed)
    have = joint.join(right)
    if vague:
        held = "support" if verdict == "confirmed" else "do not support"
        return f"The figures {held} “{vague}”, which means {words}{claim_words}{unit}: they give {have}."
    if verdict == "confirmed":
        return f"The figures confirm {words}{claim_words}{unit}" + (
            f": they give {have}." if have != claim_words else "."
        )
    if not right:
        return f"Claimed is {words}{claim_words}{unit}; the figures do not support it, and the right value cannot be determined."
    end = ", less than one unit of the last printed digit away" if verdict == "cut off" else ""
    return f"Claimed is {words}{claim_words}{unit}; the figures give {have}{unit}{end}."


def tried_in(claim: Claim, unit: str, row: Sequence[Value]) -> list[str]:
    """What a claim whose unit is left open comes to in the other units."""
    claimed = claim.claimed if isinstance(claim.claimed, list) else [claim.claimed] * len(row)
    base = [value * UNITS[unit][1] for value in numbers(row)] if claim.units else []
    others = {other: [value / UNITS[other][1] for value in base] for other in claim.units if other != unit}
    other_units = [
        f"{', '.join(right_values(claimed, values, 'at most', True))} {other}" for other, values in others.items()
    ]
    return [f"The text leaves the unit open; it would also be {' or '.join(other_units)}."] if other_units else []
