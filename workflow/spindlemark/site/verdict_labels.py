"""Texts for verdicts on pages: the verdict, how much more data it needs, and how many sessions agree."""

from collections.abc import Sequence
from typing import Any

from spindlemark.analysis.findings.intervals import RANGE_BELOW
from spindlemark.analysis.findings.model import Cell, MetricTable, Need, Pair, Recommendation, Verdict
from spindlemark.analysis.findings.table_text import find
from spindlemark.analysis.format import count, percent, ratio
from spindlemark.site import dot_plots
from spindlemark.site.context import Context

Page = dict[str, Any]
# Conclusions of comparing several configurations with the first one; the browser fills in the same sentences.
SENTENCES = {
    "better": "{first} is better than all others with these weights.",
    "slightly_better": "{first} is better than all others with these weights, but only slightly better than {others}.",
    "equivalent": "{first} and {others} are equivalent with these weights, and nothing is better.",
    "undecided": "With these weights the comparison of {first} and {others} is inconclusive.",
}
SIGNS = {
    "better": "▼",
    "slightly_better": "▽",
    "equivalent": "=",
    "undecided": "?",
}  # of the best compared with another, in a chart
MINUTE, HOUR = 60, 3600


def of_table(table: MetricTable) -> Verdict | None:
    """Summarize a table: inconclusive if any comparison with the best is, else equivalent if any is; None if some
    times are too short to compare.
    """
    found = {c.verdict for c in table.cells[1:]} if table.ranked else set()
    if "undecided" not in found and any(c.short and c.tier == 1 and not c.verdict for c in table.cells[1:]):
        return None
    return next(
        (verdict for verdict in ("undecided", "equivalent", "slightly_better", "better") if verdict in found), None
    )


def of_pairs(found: Recommendation, first: str | None) -> dict[str, Verdict]:
    """Configuration -> the verdict of `first` against it, over the weighted tasks."""
    if first is None:
        return {}
    pairs = {s: find(found.pairs, first, s) for s in found.scores if s != first}
    return {s: pair.verdict for s, pair in pairs.items() if pair and pair.verdict}


def multiple(found: Recommendation, first: str, name: str) -> dict[str, str]:
    """What `name` costs as a multiple of `first`: the estimate, its interval, and the range over sessions; "" where unknown."""
    pair = find(found.pairs, first, name)
    if pair is None or found.lossless:
        return {"multiple": "1" if name == first else "", "interval": "", "range": ""}
    value, low, high = pair.against(first)
    each = in_sessions(found, first, name)
    spread = f"{ratio(min(each))} to {ratio(max(each))}" if len(each) > 1 else ""
    return {"multiple": ratio(value), "interval": f"{ratio(low)} to {ratio(high)}", "range": spread}


def in_sessions(found: Recommendation, first: str, name: str) -> list[float]:
    """The weighted cost of `name` as a multiple of that of `first`, in each of the pooled sessions that have both."""
    return [
        session.ratios[name] / session.ratios[first]
        for session in found.replicates
        if {name, first} <= set(session.ratios)
    ]


def plots(found: Recommendation, first: str, names: Sequence[str]) -> dict[str, dict]:
    """Configuration -> its multiple of `first` with interval and sessions, on a line for all; none for a single session."""
    pairs = {name: find(found.pairs, first, name) for name in names}
    shown = {name: (pair.against(first), in_sessions(found, first, name)) for name, pair in pairs.items() if pair}
    if found.lossless or max((len(each) for _, each in shown.values()), default=0) < 2:
        return {}
    return dot_plots.multiples(shown)


def sentence(found: Recommendation, first: str, against: dict[str, Verdict]) -> str:
    """The conclusion with the declared weights; the browser writes the same for other weights."""
    same = [s for s, verdict in against.items() if verdict == found.verdict]
    return SENTENCES[found.verdict].format(first=first, others=" and ".join(same) or "others")


def need(wanted: Need | None) -> str:
    """The data that a conclusive result needs, in words; "" if unknown."""
    if wanted is None:
        return ""
    if wanted.rounds is None:
        return "more rounds than is practical"
    time = f", {duration(wanted.seconds)}" if wanted.seconds is not None else ""
    return f"about {count(wanted.rounds, 'more round')}{time}"


def need_clause(wanted: Need | None) -> str:
    """The same for an answer, as a clause."""
    if wanted is not None and wanted.rounds is None:
        return "no realistic number of rounds would settle it"
    return f"{need(wanted)} should settle it" if wanted else ""


def duration(seconds: float) -> str:
    """An estimated time, such as `12 min`."""
    if seconds < 1.5 * MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < 1.5 * HOUR else f"{seconds / HOUR:.1f} h"


def of_pair(p: Pair, table: MetricTable) -> Verdict | None:
    """The verdict of a pair; None if it is not adjusted with the question."""
    return p.verdict if p.primary and table.primary else None


def sessions(found: Recommendation, context: Context) -> Page | None:
    """The number of sessions that agree with the answer; of releases that pool none, also the groups that contradict it."""
    held = found.sessions
    if found.replicates:
        of = len(found.replicates)
        text = "measured in one session" if of == 1 else f"same order in {found.same_order} of {of} sessions"
        return {"text": text, "contradicting": [], "decided": []}
    if held is None:
        return None
    whole = held.of + held.inconclusive
    if whole <= 1:
        text = "In this session"
    elif found.verdict == "undecided":
        text = f"In {held.inconclusive} of {whole} sessions"
    else:
        text = (
            f"In {held.agreeing} of {whole} sessions"
            + (f"; {held.otherwise} disagree{'s' if held.otherwise == 1 else ''}" if held.otherwise else "")
            + (f"; {held.inconclusive} inconclusive" if held.inconclusive else "")
        )

    def linked(groups: list[str]) -> list[Page]:
        return [
            {"title": context.named[group], "path": context.groups[group]}
            for group in groups
            if group in context.groups
        ]

    return {"text": text, "contradicting": linked(held.contradicting), "decided": linked(held.decided)}


def interval_head(cells: list[Cell], confidence: float) -> str:
    """The kind of a column's intervals: bootstrap intervals, or ranges of few samples."""
    kinds = {c.n < RANGE_BELOW for c in cells if c.low is not None}
    return "Interval" if len(kinds) > 1 else "Range" if True in kinds else f"{percent(confidence)} interval"


def is_range(cell: Cell) -> bool:
    """Whether the interval of a cell is the range of its samples."""
    return cell.low is not None and cell.n < RANGE_BELOW
