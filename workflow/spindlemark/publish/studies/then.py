"""Then and now: published ratios between subjects beside those measured here. Ratios compare across machines, speeds
do not, so no second and no byte of a study stands beside one of this machine."""

import math
from typing import Any

from spindlemark.findings.report import Findings, Group, MetricTable
from spindlemark.findings.statements import find
from spindlemark.publish.library import Context
from spindlemark.publish.numbers import MISSING, fixed
from spindlemark.publish.studies import places
from spindlemark.reference.published import Compared, Published

Page = dict[str, Any]
BASELINE = "ext4"  # what distributions install by default, and every study of filesystems has it
WHOLE = "none"  # library of the tests of an empty partition, which hold for each library
WIDTH = 1000
PATH = "study/then-and-now/"


def pages(findings: Findings, published: Published, context: Context) -> list[Page]:
    """One entry per library that was measured here and in a study."""
    return [_library(group, study, context) for group in findings.groups for study in published.studies
            if _groups(study, group)]


def _groups(study: Compared, group: Group) -> list[Group]:
    """The study's groups of this library, or of the empty partition, in its main series."""
    own = [g for g in study.groups if g.family == group.family and g.conditions.get("series") == "main"]
    return [g for g in own if g.library in (group.library, WHOLE)] if any(g.library == group.library for g in own) else []


def _library(group: Group, study: Compared, context: Context) -> Page:
    then = {t.metric: t for g in _groups(study, group) for t in g.metrics}
    weights = {t.metric: t.weight for t in group.recommendation.tasks} if group.recommendation else {}
    ranked = sorted(group.metrics, key=lambda now: -weights.get(now.metric, 0.0))
    tasks = [_task(then[now.metric], now, context) for now in ranked if now.metric in then]
    return {"library": context.title(group), "path": context.libraries[group.group], "anchor": f"t-{group.group}",
            "study": study.title, "source": study.source, "study_path": places.study(study.source),
            "testbed": group.testbed, "then": study.date or "undated", "tasks": [t for t in tasks if t]}


def _task(then: MetricTable, now: MetricTable, context: Context) -> Page | None:
    """One task: each subject's ratio to the baseline, published and measured here."""
    both = [c.subject for c in now.cells if c.subject in {c.subject for c in then.cells}]
    if not both:
        return None
    base = BASELINE if BASELINE in both else both[0]
    names = list(dict.fromkeys([base, *sorted(both), *sorted(c.subject for c in (*then.cells, *now.cells))]))
    rows = [{"subject": context.subject(s), "base": s == base, "then": ratio(then, base, s), "now": ratio(now, base, s)}
            for s in names]
    _draw(rows)
    for row in rows:
        row["says"] = "baseline" if row["base"] else _says(row["then"], row["now"], now.ranked)
    return {"metric": now.metric, "title": now.title, "base": base, "why": now.why_unranked, "rows": rows,
            "words": "times as long" if now.unit == "s" else "times as much" if now.unit == "B" else "times"}


def ratio(table: MetricTable, base: str, subject: str) -> Page | None:
    """Subject over baseline with the simultaneous interval; None where either has no ranked result."""
    cells = {c.subject: c for c in table.cells}
    if not table.ranked or base not in cells or subject not in cells:
        return None
    if base == subject:
        return {"value": 1.0, "text": "1.00×", "interval": "", "n": cells[base].n, "side": None, "low": 1.0, "high": 1.0}
    value, pair = cells[subject].median / cells[base].median, find(table.pairs, base, subject)
    found = {"value": value, "text": f"{_short(value)}×", "interval": MISSING, "n": cells[subject].n, "side": None,
             "low": None, "high": None}
    if pair is None:
        return found
    above = (pair.worse == subject) == (table.better == "lower")
    low, high = (pair.low, pair.high) if above else (1 / pair.high, 1 / pair.low)
    side = ("worse" if pair.worse == subject else "better") if pair.supported else "level"
    return found | {"low": low, "high": high, "side": side, "interval": f"{_short(low)}–{_short(high)}"}


def _short(value: float) -> str:
    """Two decimals, or two significant digits below 0.1."""
    return fixed(value, 2) if value >= 0.1 else f"{value:.2g}"


def _says(then: Page | None, now: Page | None, ranked: bool) -> str:
    """What became of a difference to the baseline."""
    if not ranked:
        return then["side"] and f"then {then['side']}" if then else MISSING
    if then is None or now is None:
        return "only then" if then else "only here" if now else MISSING
    if then["side"] is None or now["side"] is None:
        return "too few samples to tell"
    if then["side"] == now["side"]:
        return "no supported difference, then as now" if then["side"] == "level" else f"{now['side']}, as then"
    if then["side"] == "level":
        return f"now {now['side']}; then no supported difference"
    return f"then {then['side']}; now {'no supported difference' if now['side'] == 'level' else now['side']}"


def _draw(rows: list[Page]) -> None:
    """Adds coordinates on one logarithmic line per task, 0 to WIDTH."""
    told = [r[side] for r in rows for side in ("then", "now") if r[side]]
    ends = [e for r in told for e in (r["value"], r["low"], r["high"]) if e]
    least, most = math.log(min(ends, default=1.0)), math.log(max(ends, default=1.0))
    span = max(most - least, 0.05)

    def at(value: float | None) -> int | None:
        return None if value is None else round(30 + (math.log(value) - least) / span * (WIDTH - 60))

    for r in told:
        r |= {"x": at(r["value"]), "x1": at(r["low"]), "x2": at(r["high"])}
    for row in rows:
        row["one"] = at(1.0)
