"""Verdict: does a claimed value follow from the figures? The tolerance is half a unit of the last printed digit."""

from typing import Literal

from spindlemark.reference.claims import Relation
from spindlemark.reference.units import number

Verdict = Literal["confirmed", "contradicted", "not derivable"]
Value = str | float | bool | None
SLACK = 1e-9  # for sums of binary fractions, relative
MOST_DIGITS = 6
NEARLY = 0.9  # "nearly x": not less than this share of x, and less than x
TRUE = {True: "true", False: "false"}


def precision(claimed: str) -> float:
    """One unit of the last printed digit: 0.1 for 30.4, 1 for 155."""
    parsed = number(claimed)
    return 10.0 ** -(parsed[1] if parsed else 0)


def tolerance(claimed: str, relation: Relation, own: float | None) -> float:
    """How far a recomputed value may lie from the claimed one: half a digit, or one whole digit for `about`."""
    if own is not None:
        return own
    return precision(claimed) * (1.0 if relation == "about" else 0.5)


def agrees(claimed: str, recomputed: Value, relation: Relation = "equal", own: float | None = None) -> bool:
    """Whether one recomputed value supports one claimed value; text is compared without regard to case."""
    parsed = number(claimed)
    if parsed is None or isinstance(recomputed, (str, bool)) or recomputed is None:
        return as_text(recomputed).casefold() == claimed.casefold()
    value, given = parsed[0], float(recomputed)
    slack = SLACK * max(abs(value), abs(given))
    margin = tolerance(claimed, relation, own) + slack
    return {
        "equal": abs(given - value) <= margin,
        "about": abs(given - value) <= margin,
        "nearly": NEARLY * value <= given < value,
        "over": given > value,
        "at most": given <= value + (own or 0.0) + slack,
        "at least": given >= value - (own or 0.0) - slack,
        "within": abs(given - value) <= margin,
    }[relation]


def row_agrees(
    claimed: list[str], recomputed: list[Value], relation: Relation = "equal", own: float | None = None
) -> bool:
    """Whether a row supports a list of claimed values; `within`: smallest and largest lie in the claimed range."""
    if len(claimed) != len(recomputed):
        return False
    if relation == "within":
        low, high = (float(number(c)[0]) for c in claimed)
        return recomputed[0] >= low - tolerance(claimed[0], "equal", own) and recomputed[-1] <= high + tolerance(
            claimed[-1], "equal", own
        )
    return all(agrees(c, r, relation, own) for c, r in zip(claimed, recomputed, strict=True))


def as_text(value: Value) -> str:
    """A recomputed value as text."""
    return "" if value is None else TRUE[value] if isinstance(value, bool) else str(value)


def printed_like(claimed: str, recomputed: Value, differs: bool = False) -> str:
    """The recomputed value to the precision of the claimed one, what would be right; with more digits where it
    would lose 5 % or, when it `differs`, look the same."""
    parsed = number(claimed)
    if parsed is None or isinstance(recomputed, (str, bool)) or recomputed is None:
        return as_text(recomputed)
    value, digits = float(recomputed), parsed[1]
    while digits < MOST_DIGITS and (
        abs(round(value, digits) - value) > 0.05 * abs(value) or (differs and round(value, digits) == parsed[0])
    ):
        digits += 1
    return f"{value:.{digits}f}"
