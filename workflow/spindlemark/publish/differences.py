"""What changed between two versions: the same subject, library and metric in both, compared."""

from typing import Any

from spindlemark.findings.report import Cell, Findings, Group, MetricTable
from spindlemark.publish.numbers import interval, number, ratio

Page = dict[str, Any]
Place = tuple[str, str, str, str]  # testbed, library, metric, subject
Result = tuple[Group, MetricTable, Cell]


def compare(new: Findings, old: Findings) -> Page:
    """Rows of every result that both versions have, largest change first, and counts of what only one has.

    A row counts as changed when the two 95 % intervals of the median do not overlap and the medians differ by more
    than the practical threshold; this is stricter than the tests inside a version, since the sessions differ.
    """
    mine, theirs = _cells(new), _cells(old)
    both = [_row(place, mine[place], theirs[place], new.practical_threshold) for place in mine if place in theirs]
    both.sort(key=lambda row: (not row["changed"], not row["same"], -row["size"]))
    return {"rows": both, "changed": sum(row["changed"] for row in both),
            "added": _names(mine.keys() - theirs.keys()), "removed": _names(theirs.keys() - mine.keys()),
            "advice": _advice(new, old)}


def _cells(findings: Findings) -> dict[Place, Result]:
    return {(g.testbed, g.library, t.metric, c.subject): (g, t, c)
            for g in findings.groups for t in g.metrics for c in t.cells if c.median is not None}


def _row(place: Place, new: Result, old: Result, least: float) -> Page:
    testbed, library, metric, subject = place
    (group, table, c), (before, _, b) = new, old
    change = c.median / b.median if b.median else None
    apart = None not in (c.low, c.high, b.low, b.high) and (c.low > b.high or b.low > c.high)
    same = group.library_factors == before.library_factors
    size = max(change, 1 / change) - 1 if change else 0.0
    return {
        "testbed": testbed, "library": library, "metric": metric, "title": table.title, "subject": subject,
        "old": number(b.median, table.unit, metric), "old_n": b.n,
        "old_interval": interval(b.low, b.high, b.median, table.unit, metric),
        "new": number(c.median, table.unit, metric), "new_n": c.n,
        "new_interval": interval(c.low, c.high, c.median, table.unit, metric),
        "ratio": ratio(change), "size": size, "same": same, "same_identity": c.identity == b.identity,
        "changed": bool(same and apart and size > least),
        "verdict": _verdict(table.better, change, same and apart and size > least, same),
    }


def _verdict(better: str, change: float | None, changed: bool, same: bool) -> str:
    if not same:
        return "other library size"
    if not changed or change is None:
        return "no supported change"
    if better == "none":
        return "changed"
    return "better" if (change < 1) == (better == "lower") else "worse"


def _advice(new: Findings, old: Findings) -> list[Page]:
    """First options of both versions, per group that both have."""
    def first(findings: Findings) -> dict[tuple[str, str], str]:
        return {(g.testbed, g.library): _first(g) for g in findings.groups if g.recommendation}

    before = first(old)
    return [{"testbed": key[0], "library": key[1], "old": before[key], "new": now}
            for key, now in first(new).items() if key in before]


def _first(group: Group) -> str:
    found = group.recommendation
    return found.options[0].subject if found.supported and found.options else "no supported difference"


def _names(places: set[Place]) -> list[str]:
    return sorted({f"{subject} with {library} on {testbed}" for testbed, library, _, subject in places})
