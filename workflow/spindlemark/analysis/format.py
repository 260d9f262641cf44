"""Format numbers for readers: unit, prefix and digits. `site/assets/js/numbers.js` does the same."""

import re
from math import ceil, floor, isfinite, log10

from spindlemark.core.lossless import LOSSLESS, is_lossless
from spindlemark.core.metric import Kind

MISSING = "–"
FULL = 0.9995  # of a prefix: from here on a number reads as 1.00 of it with three digits
NOTHING = 5e-7  # of the smallest prefix: below it all six decimals are 0
SEARCHED: Kind = "searched"  # the largest number that a search found
# unit -> (factor, suffix) from large to small; the last one takes all that is smaller. Decimal, as the findings say it.
POWERS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
PREFIXES: dict[str, list[tuple[float, str]]] = {
    "s": [(1.0, " s"), (1e-3, " ms")],
    "B": [(factor, f" {power}B") for factor, power in POWERS],
    "B/s": [(factor, f" {power}B/s") for factor, power in POWERS],
    "bit/s": [(factor, f" {power}bit/s") for factor, power in POWERS],
    "1/s": [(1.0, "/s")],
    "1": [(1.0, "")],
}


def rising(text: str) -> list[str | int]:
    """The key that sorts texts by the whole numbers in them: "at most 50 Mbit/s" comes before "at most 400 Mbit/s"."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", text)]


def scale(unit: str, magnitude: float, kind: Kind | None = None) -> tuple[float, str, int]:
    """Factor to divide by, suffix to append and decimals that give `magnitude` three significant digits.

    Decimals below 0 round to tens and more: 5,312/s is written as 5,310/s. Ratios keep three decimals, since their distance
    from 1 is what matters; counts and bytes below 1 kB have none.
    """
    if kind == "ratio":
        return 1.0, "", 3
    prefixes = PREFIXES.get(unit, [(1.0, f" {unit}")])
    size = abs(magnitude)
    factor, suffix = prefixes[-1]
    for larger in prefixes:
        if size >= FULL * larger[0]:
            factor, suffix = larger
            break
    if suffix == " B" or kind in ("count", SEARCHED):
        return factor, suffix, 0
    return factor, suffix, _decimals(size / factor)


def _decimals(value: float) -> int:
    """Decimals that give three significant digits after rounding; six at most."""
    return min(6, 2 - int(f"{value:.2e}".split("e")[1]))


def fixed(value: float, decimals: int) -> str:
    """`value` with thousands commas; halves go up, as the browser's side does, so that both write the same text."""
    shift = 10.0**decimals
    return f"{floor(value * shift + 0.5) / shift:,.{max(0, decimals)}f}"


def digits(value: float) -> str:
    """A number without unit with three significant digits, as 2.04, 0.0512 or 131,000."""
    return fixed(value, _decimals(value)) if value else "0"


def steps(value: float, unit: str, magnitude: float, kind: Kind | None = None) -> int:
    """`value` in units of the last digit in which a number of this magnitude is written."""
    factor, _, decimals = scale(unit, magnitude, kind)
    return floor(value / factor * 10.0**decimals + 0.5)


def shortened(value: float, unit: str, kind: Kind | None = None) -> float:
    """`value` with four significant digits, or as many more as it takes to be written as the exact value is."""
    written = number(value, unit, kind)
    return next((s for d in range(4, 17) if number(s := float(f"{value:.{d}g}"), unit, kind) == written), value)


def number(value: float | None, unit: str, kind: Kind | None = None) -> str:
    """One value with its unit, as `2.03 s`."""
    if value is None or not isfinite(value):
        return MISSING
    if kind == SEARCHED and value != floor(value):  # of an even number of repetitions: half a viewer is none
        return f"{fixed(floor(value), 0)} to {fixed(floor(value) + 1, 0)}"
    if is_lossless(value, unit):
        return LOSSLESS
    if unit == "1" and value == floor(value) and kind != "ratio":
        return fixed(value, 0)
    prefixes = PREFIXES.get(unit, [(1.0, f" {unit}")])
    if abs(value) < NOTHING * prefixes[-1][0]:
        return "0" + dict(prefixes)[1.0]
    factor, suffix, decimals = scale(unit, value, kind)
    return fixed(value / factor, decimals) + suffix


def interval(low: float | None, high: float | None, median: float | None, unit: str, kind: Kind | None = None) -> str:
    """An interval in the prefix and digits of its median, as `1.98–2.10`; one number when both ends read the same."""
    if low is None or high is None or median is None or is_lossless(median, unit):
        return MISSING
    factor, _, decimals = scale(unit, median, kind)
    if kind == SEARCHED:
        low, high = floor(low), ceil(high)
    ends = dict.fromkeys(fixed(end / factor, decimals) for end in (low, high))
    return "–".join(ends)


def ratio(value: float | None) -> str:
    """A ratio to the best, as `1.42×`."""
    return MISSING if value is None or not isfinite(value) else times(value) + "×"


def times(value: float) -> str:
    """A ratio with two decimals, because the intervals are seldom narrower than 1 %, or two digits of a small one."""
    return fixed(value, 2 if value <= 0 or value >= 0.095 else min(1 - floor(log10(value)), 6))


def percent(share: float | None) -> str:
    """A share of 1 as percent; below 1 % and above 99 % it says so instead of claiming certainty."""
    if share is None or not isfinite(share):
        return MISSING
    if 0.005 < share < 0.995:
        return f"{share * 100:.0f} %"
    return "< 1 %" if share < 0.5 else "> 99 %"


def count(value: int, one: str, many: str | None = None) -> str:
    """A count with its noun, as `1 sample` or `3 samples`."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"
