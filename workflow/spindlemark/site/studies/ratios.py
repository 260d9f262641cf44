"""Ratios between two configurations, published or measured here, and what became of a difference. Ratios compare across
machines, speeds do not, so no second and no byte of a study stands beside one of this machine.
"""

import math
from collections.abc import Callable
from typing import Any

from spindlemark.analysis.findings.model import Contrast, MetricTable
from spindlemark.analysis.format import MISSING, fixed
from spindlemark.analysis.studies.source_model import Today
from spindlemark.site import evidence, verdict_labels

Page = dict[str, Any]
WIDTH = 1000
NO_COMPARISON = "does not compare"


def ratio(table: MetricTable, base: str, subject: str) -> Page | None:
    """Configuration over baseline with the simultaneous interval; None where either has no ranked result, or nothing at all.

    With an interval it is the ratio that the interval is of, that of geometric means over quiet rounds; else that of the medians.
    """
    cells = {c.configuration: c for c in table.cells if c.median}
    if not table.ranked or base not in cells or subject not in cells:
        return None
    if base == subject:
        return {**plain(1.0, cells[base].n), "interval": "", "low": 1.0, "high": 1.0}
    pair, n = verdict_labels.between(table.pairs, base, subject), cells[subject].n
    if pair is None:
        short = cells[base].short or cells[subject].short
        return too_short(n) if short else plain(cells[subject].median / cells[base].median, n)
    above = (pair.worse == subject) == (table.better == "lower")
    ends = (pair.ratio, pair.low, pair.high) if above else (1 / pair.ratio, 1 / pair.high, 1 / pair.low)
    side = ("worse" if pair.worse == subject else "better") if pair.supported else pair.verdict
    return _judged(*ends, n, side, pair.short)


def of_contrast(gain: Contrast, better: str, n: int) -> Page:
    """A contrast with the default as configuration over baseline; its interval is adjusted for the tuned settings alone."""
    lower = better == "lower"
    ends = (1 / gain.ratio, 1 / gain.high, 1 / gain.low) if lower else (gain.ratio, gain.low, gain.high)
    return _judged(*ends, n, {"gain": "better", "loss": "worse"}.get(gain.side, gain.verdict), gain.short)


def _judged(value: float, low: float, high: float, n: int, side: str | None, short: bool) -> Page:
    """A ratio with its verdict; where one side is `short`, counting as longer than it took, it is a bound."""
    if side is None:
        return too_short(n)
    if not short:
        return within(value, low, high, n) | {"side": side}
    told = evidence.counted(value, low, high, short, False)
    return plain(value, n) | {"text": told["ratio"], "interval": told["interval"], "side": side}


def within(value: float, low: float, high: float, n: int) -> Page:
    """A ratio with its interval."""
    ends = dict.fromkeys((short(low), short(high)))
    return plain(value, n) | {"low": low, "high": high, "interval": "–".join(ends)}


def plain(value: float, n: int) -> Page:
    """A ratio of which no interval is known."""
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
    """In the place of a ratio of times of which nothing tells how long they were."""
    return {
        "value": None,
        "text": evidence.TOO_SHORT,
        "interval": "",
        "n": n,
        "side": f"{evidence.TOO_SHORT} to tell",
        "low": None,
        "high": None,
    }


def cautioned(task: Page, today: Today) -> Page:
    """The task with what the study's `today` says of its metric; what does not compare gets no word on a difference."""
    caution = today.caveats.get(task["metric"])
    if caution is None:
        return task
    rows = task["rows"] if caution.compares else [row | {"says": NO_COMPARISON} for row in task["rows"]]
    return task | {"note": caution.note, "rows": rows}


def short(value: float) -> str:
    """Two decimals, or two significant digits below 0.1."""
    return fixed(value, 2) if value >= 0.1 else f"{value:.2g}"


def says(then: Page | None, now: Page | None, ranked: bool) -> str:
    """What became of a difference to the baseline."""
    if not ranked:
        return then["side"] and f"then {then['side']}" if then else MISSING
    if then is None or now is None:
        return "only then" if then else "only here" if now else MISSING
    if then["side"] is None or now["side"] is None:
        return "too few samples to tell" if now["side"] is None else f"now {now['side']}; then too few samples to tell"
    if then["side"] == now["side"]:
        return f"{now['side']}, as then"
    return f"then {then['side']}; now {now['side']}"


def draw(rows: list[Page], scale: Callable[[float], float] = math.log) -> None:
    """Adds coordinates on one line per task, 0 to WIDTH, logarithmic unless another `scale` is given."""
    told = [r[side] for r in rows for side in ("then", "now") if r[side]]
    ends = [scale(e) for r in told for e in (r["value"], r["low"], r["high"]) if e is not None]
    least, most = min(ends, default=0.0), max(ends, default=0.0)
    span = max(most - least, 0.05)

    def at(value: float | None) -> int | None:
        return None if value is None else round(30 + (scale(value) - least) / span * (WIDTH - 60))

    for r in told:
        r |= {"x": at(r["value"]), "x1": at(r["low"]), "x2": at(r["high"])}
    for row in rows:
        row["one"] = at(1.0)


def unit_words(of: MetricTable | Contrast) -> str:
    """How a ratio of this metric reads, as: times as long."""
    return "times as long" if of.unit == "s" else "times as much"
