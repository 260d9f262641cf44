"""Texts for verdicts on pages: the verdict, how much more data it needs, and how many sessions agree."""

from typing import Any

from spindlemark.analysis.findings.intervals import RANGE_BELOW
from spindlemark.analysis.findings.model import Cell, MetricTable, Need, Pair, Recommendation, Verdict
from spindlemark.analysis.format import count, percent
from spindlemark.site.context import Context

Page = dict[str, Any]
# What a comparison of several with the first one comes to; the browser fills in the same sentences.
SENTENCES = {
    "better": "{first} is better than all others with these weights.",
    "equivalent": "{first} and {others} are equivalent with these weights, and nothing is better.",
    "undecided": "With these weights the comparison of {first} and {others} is inconclusive.",
}
SIGNS = {"better": "▼", "equivalent": "=", "undecided": "?"}  # of the best against another, in a chart
MINUTE, HOUR = 60, 3600


def of_table(table: MetricTable) -> Verdict | None:
    """Summarize a table: inconclusive if any comparison with the best is, else equivalent if any is; None if some
    times are too short to tell apart.
    """
    found = {c.verdict for c in table.cells[1:]} if table.ranked else set()
    if "undecided" not in found and any(c.short and c.tier == 1 and not c.verdict for c in table.cells[1:]):
        return None
    return next((verdict for verdict in ("undecided", "equivalent", "better") if verdict in found), None)


def of_pairs(found: Recommendation, first: str | None) -> dict[str, Verdict]:
    """Configuration -> the verdict of `first` against it, over the weighted tasks."""
    if first is None:
        return {}
    pairs = {s: between(found.pairs, first, s) for s in found.scores if s != first}
    return {s: pair.verdict for s, pair in pairs.items() if pair and pair.verdict}


def sentence(found: Recommendation, first: str, against: dict[str, Verdict]) -> str:
    """What the declared weights come to, as the browser says it of others."""
    same = [s for s, verdict in against.items() if verdict == found.verdict]
    return SENTENCES[found.verdict].format(first=first, others=" and ".join(same) or "others")


def need(wanted: Need | None) -> str:
    """What would decide it, in words; "" where that is not known."""
    if wanted is None:
        return ""
    if wanted.rounds is None:
        return "more rounds than is practical"
    time = f", {duration(wanted.seconds)}" if wanted.seconds is not None else ""
    return f"about {count(wanted.rounds, 'more round')}{time}"


def duration(seconds: float) -> str:
    """A time that is only an estimate, as `12 min`."""
    if seconds < 1.5 * MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < 1.5 * HOUR else f"{seconds / HOUR:.1f} h"


def between(pairs: list[Pair], one: str, other: str) -> Pair | None:
    """The pair of two configurations, whichever of them is better."""
    return next((p for p in pairs if {p.better, p.worse} == {one, other}), None)


def of_pair(p: Pair, table: MetricTable) -> Verdict | None:
    """What is said of a pair; nothing of what is not adjusted with the question."""
    return p.verdict if p.primary and table.primary else None


def sessions(found: Recommendation, context: Context) -> Page | None:
    """In how many sessions the answer is the same, with the groups that say the opposite."""
    told = found.sessions
    if told is None:
        return None
    whole = told.of + told.inconclusive
    if whole <= 1:
        text = "In this session"
    elif found.verdict == "undecided":
        text = f"In {told.inconclusive} of {whole} sessions"
    else:
        text = (
            f"In {told.agreeing} of {whole} sessions"
            + (f", with another verdict in {told.otherwise}" if told.otherwise else "")
            + (f", inconclusive in {told.inconclusive}" if told.inconclusive else "")
        )

    def linked(groups: list[str]) -> list[Page]:
        return [
            {"title": context.named[group], "path": context.groups[group]}
            for group in groups
            if group in context.groups
        ]

    return {"text": text, "contradicting": linked(told.contradicting), "decided": linked(told.decided)}


def interval_head(cells: list[Cell], confidence: float) -> str:
    """What the intervals of a column are: a bootstrap interval, or the range where samples are few."""
    kinds = {c.n < RANGE_BELOW for c in cells if c.low is not None}
    return "Interval" if len(kinds) > 1 else "Range" if True in kinds else f"{percent(confidence)} interval"


def is_range(cell: Cell) -> bool:
    """Whether the interval of a cell is the range of its samples."""
    return cell.low is not None and cell.n < RANGE_BELOW
