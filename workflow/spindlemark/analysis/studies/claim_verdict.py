"""Verdict: does a claimed value follow from the figures? The tolerance is half a unit of the last printed digit."""

from collections.abc import Sequence
from typing import Literal

from spindlemark.analysis.studies import units, vague_words
from spindlemark.analysis.studies.claim_model import Relation
from spindlemark.analysis.studies.units import number

Verdict = Literal["confirmed", "cut off", "contradicted", "not derivable"]
Value = str | float | bool | None
SLACK = 1e-9  # for sums of binary fractions, relative
MOST_DIGITS = 6
TRUE = {True: "true", False: "false"}
TRIED: tuple[Verdict, ...] = ("confirmed", "cut off", "contradicted")  # a row is as good as its worst value


def precision(claimed: str) -> float:
    """One unit of the last printed digit: 0.1 for 30.4, 1 for 155."""
    parsed = number(claimed)
    return 10.0 ** -(parsed[1] if parsed else 0)


def tolerance(claimed: str, relation: Relation) -> float:
    """How far a recomputed value may be from the claimed one: half a digit, or what `about` allows of all numbers."""
    if relation in ("about", "nearly"):
        return max(precision(claimed), vague_words.share() * abs(units.value(claimed)))
    return precision(claimed) * 0.5


def judge(claimed: str, recomputed: Value, relation: Relation = "equal") -> Verdict:
    """Whether one recomputed value supports one claimed value; text is compared without regard to case.

    Cut off: the printed number is not the rounded one, but less than one unit of its last digit away.
    """
    parsed = number(claimed)
    if parsed is None or isinstance(recomputed, (str, bool)) or recomputed is None:
        return "confirmed" if as_text(recomputed).casefold() == claimed.casefold() else "contradicted"
    value, given = parsed[0], float(recomputed)
    slack = SLACK * max(abs(value), abs(given))
    good = {"over": given > value, "at most": given <= value + slack, "at least": given >= value - slack}
    if good.get(relation, abs(given - value) <= tolerance(claimed, relation) + slack):
        return "confirmed"
    cut = relation == "equal" and abs(given - value) < precision(claimed) - slack
    return "cut off" if cut else "contradicted"


def numbers(row: Sequence[Value]) -> list[float]:
    """Return the values of a row as numbers; raise ValueError for text and null."""
    found = [value for value in row if value is not None and not isinstance(value, str)]
    if len(found) < len(row):
        raise ValueError(f"{row}: not every value is a number")
    return found


def judge_row(claimed: Sequence[str], recomputed: Sequence[Value], relation: Relation = "equal") -> Verdict:
    """Whether a row supports a list of claimed values; `within`: smallest and largest are in the claimed range."""
    if relation == "within":
        low, high = (units.value(c) for c in claimed)
        smallest, *_, largest = [*numbers(recomputed[:1]), *numbers(recomputed[-1:])]
        inside = smallest >= low - tolerance(claimed[0], "equal") and largest <= high + tolerance(claimed[-1], "equal")
        return "confirmed" if inside else "contradicted"
    return max((judge(c, r, relation) for c, r in zip(claimed, recomputed, strict=True)), key=TRIED.index)


def as_text(value: Value) -> str:
    """A recomputed value as text."""
    return "" if value is None else TRUE[value] if isinstance(value, bool) else str(value)


def printed_like(claimed: str, recomputed: Value, differs: bool = False) -> str:
    """The recomputed value to the precision of the claimed one, what would be right; with more digits where it
    would lose 5 % or, when it `differs`, look the same.
    """
    parsed = number(claimed)
    if parsed is None or isinstance(recomputed, (str, bool)) or recomputed is None:
        return as_text(recomputed)
    value, digits = float(recomputed), parsed[1]
    while digits < MOST_DIGITS and (
        abs(round(value, digits) - value) > 0.05 * abs(value) or (differs and round(value, digits) == parsed[0])
    ):
        digits += 1
    return f"{value:.{digits}f}"


def right_values(claimed: Sequence[str], row: Sequence[Value], relation: Relation, finer: bool = False) -> list[str]:
    """What would be right, value by value. One digit more than claimed where it is asked for (`finer`), at both ends of a
    range that fails, and in a value that was cut off.
    """
    verdicts = [judge(c, r, relation) for c, r in zip(claimed, row, strict=False)]
    if relation == "within":
        verdicts, finer = ["confirmed"] * len(row), finer or judge_row(claimed, row, relation) == "contradicted"
    return [
        _finer(c, r) if (finer or v == "cut off") else printed_like(c, r, v != "confirmed")
        for c, r, v in zip(claimed, row, verdicts, strict=False)
    ]


def _finer(claimed: str, recomputed: Value) -> str:
    parsed = number(claimed)
    if parsed is None or isinstance(recomputed, (str, bool)) or recomputed is None:
        return as_text(recomputed)
    if float(recomputed).is_integer() and parsed[1] == 0:
        return str(int(recomputed))
    digits = len(f"{parsed[0]:.0f}") if abs(recomputed) < 1 else 1  # 0.26, where 0.3 would say less
    return f"{recomputed:.{parsed[1] + digits}f}"
