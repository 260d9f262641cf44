"""Ratios between two configurations, published and measured here, and how the difference changed.

Ratios can be compared across machines and absolute values cannot, so these pages compare only ratios.
"""

import math
from collections.abc import Callable
from typing import Any

from spindlemark.analysis.findings.model import Contrast, MetricTable
from spindlemark.analysis.findings.table_text import find
from spindlemark.analysis.format import MISSING, fixed
from spindlemark.analysis.studies.source_model import Today
from spindlemark.site import evidence

Page = dict[str, Any]
WIDTH = 1000
NO_COMPARISON = "not comparable"
SIDES = {"gain": "better", "loss": "worse", "undecided": "inconclusive"}  # other verdicts are shown as they are


def ratio(table: MetricTable, base: str, other: str) -> Page | None:
    """Return `other` over `base` with the simultaneous interval; None if either has no ranked result.

    The ratio is that of geometric means over undisturbed blocks, as for the interval; without an interval, that of medians.
    """
    cells = {c.configuration: c for c in table.cells if c.median}
    if not table.ranked or base not in cells or other not in cells:
        return None
    if base == other:
        return {**plain(1.0, cells[base].n), "interval": "", "low": 1.0, "high": 1.0}
    pair, n = find(table.pairs, base, other), cells[other].n
    if pair is None:
        short = cells[base].short or cells[other].short
        return too_short(n) if short else plain(cells[other].median / cells[base].median, n)
    above = (pair.worse == other) == (table.better == "lower")
    ends = (pair.ratio, pair.low, pair.high) if above else (1 / pair.ratio, 1 / pair.high, 1 / pair.low)
    side = ("worse" if pair.worse == other else "better") if pair.supported else pair.verdict
    return _judged(*ends, n, side, pair.short)


def of_contrast(gain: Contrast, better: str, n: int) -> Page:
    """Return a contrast as configuration over baseline; its interval is adjusted for the tuned settings only."""
    lower = better == "lower"
    ends = (1 / gain.ratio, 1 / gain.high, 1 / gain.low) if lower else (gain.ratio, gain.low, gain.high)
    return _judged(*ends, n, SIDES.get(gain.side, gain.verdict), gain.short)


def _judged(value: float, low: float, high: float, n: int, side: str | None, short: bool) -> Page:
    """Return a ratio with its verdict; it is a bound if one side is `short`, which counts as longer than it took."""
    if side is None:
        return too_short(n)
    side = SIDES.get(side, side)
    if not short:
        return within(value, low, high, n) | {"side": side}
    bound = evidence.counted(value, low, high, short, False)
    return plain(value, n) | {"text": bound["ratio"], "interval": bound["interval"], "side": side}


def within(value: float, low: float, high: float, n: int) -> Page:
    """Return a ratio with its interval."""
    ends = dict.fromkeys((short(low), short(high)))
    return plain(value, n) | {"low": low, "high": high, "interval": "–".join(ends)}


def plain(value: float, n: int) -> Page:
    """Return a ratio without a known interval."""
    return {
        "value": value,
        "text": f"{short(value)}×",
        "interval": MISSING,
        "n": n,
        "side": None,
        "low": None,
        "high": None,
    }


def too_short(n: int) -> Page:
    """Return the entry for times that were too short to measure."""
    return {
        "value": None,
        "text": evidence.TOO_SHORT,
        "interval": "",
        "n": n,
        "side": f"{evidence.TOO_SHORT} to compare",
        "low": None,
        "high": None,
    }


def with_caveat(task: Page, today: Today, family: str) -> Page:
    """Add the caveat of the study's `today` to a task of our `family`; rows of metrics that are not comparable get no verdict."""
    caveat = today.caveat(family, task["metric"])
    if caveat is None:
        return task
    rows = task["rows"] if caveat.compares else [row | {"says": NO_COMPARISON} for row in task["rows"]]
    return task | {"note": caveat.note, "rows": rows}


def short(value: float) -> str:
    """Format with two decimals, or two significant digits below 0.1."""
    return fixed(value, 2) if value >= 0.1 else f"{value:.2g}"


def says(then: Page | None, now: Page | None, ranked: bool) -> str:
    """Describe how the difference to the baseline changed."""
    if not ranked:
        return then["side"] and f"then {then['side']}" if then else MISSING
    if then is None or now is None:
        return "only in the study" if then else "only here" if now else MISSING
    if then["side"] is None or now["side"] is None:
        few = "too few samples"
        return few if now["side"] is None else f"now {now['side']}; then {few}"
    if then["side"] == now["side"]:
        return f"{now['side']}, then and now"
    return f"then {then['side']}; now {now['side']}"


def draw(rows: list[Page], scale: Callable[[float], float] = math.log) -> None:
    """Add coordinates on one line per task, 0 to WIDTH, logarithmic unless another `scale` is given."""
    shown = [r[side] for r in rows for side in ("then", "now") if r[side]]
    ends = [scale(e) for r in shown for e in (r["value"], r["low"], r["high"]) if e is not None]
    least, most = min(ends, default=0.0), max(ends, default=0.0)
    span = max(most - least, 0.05)

    def at(value: float | None) -> int | None:
        return None if value is None else round(30 + (scale(value) - least) / span * (WIDTH - 60))

    for r in shown:
        r |= {"x": at(r["value"]), "x1": at(r["low"]), "x2": at(r["high"])}
    for row in rows:
        row["one"] = at(1.0)


def relation(of: MetricTable | Contrast, base: str) -> str:
    """Name the scale of a ratio of this metric, for example: times as long as ext4."""
    return f"times as long as {base}" if of.unit == "s" else f"relative to {base}"
