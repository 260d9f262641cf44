"""Tables: each metric of a group with its medians, intervals, ratios, tiers and pairs."""

from collections.abc import Sequence
from statistics import median

import numpy as np

from spindlemark.findings import metrics, statements, words
from spindlemark.findings.compare import Differences, bounded, pairwise, tiers
from spindlemark.findings.intervals import Interval, medians
from spindlemark.findings.report import Cell, MetricTable, Pair
from spindlemark.findings.samples import Comparable, Samples, Subject
from spindlemark.findings.settings import Recommendations

DECIMALS = 6
LEAST_COUNT = 0.5
CENSORED, BY_PROCESSOR = "most_streams", "processor"  # what ended a search for a largest number
Sampled = list[tuple[Subject, Samples]]


def build(groups: Sequence[Comparable], declared: Recommendations,
          relative_width: float) -> list[dict[str, MetricTable]]:
    """The tables of every group, by metric; all intervals of medians are computed in one go."""
    sampled = [{metric: [(s, s.metrics[metric]) for s in group.subjects if metric in s.metrics]
                for metric in metrics.ordered(group.family, group.metrics)} for group in groups]
    every = [samples.values for tables in sampled for rows in tables.values() for _, samples in rows]
    intervals = iter(medians(every, declared.confidence))
    result = []
    for group, tables in zip(groups, sampled, strict=True):
        cells = {metric: [_cell(subject, samples, next(intervals), relative_width) for subject, samples in rows]
                 for metric, rows in tables.items()}
        result.append({metric: _table(group.family, metric, tables, cells[metric], declared) for metric in tables})
    return result


def costs(samples: Samples) -> np.ndarray:
    """Natural logarithm of the samples, with a sign such that lower is better.

    Where not even one was found by a search for the largest number, half of one stands for it.
    """
    return _costs(samples.values, samples)


def _costs(values: Sequence[float], like: Samples) -> np.ndarray:
    known = values if like.rounding is None else np.maximum(values, LEAST_COUNT)
    return np.log(known) * (-1 if like.better == "higher" else 1)


def floor(samples: Samples) -> float:
    """Least variance of a mean cost: 0, or for a number that was searched for what rounding alone makes, width^2 / 12.

    The number lies anywhere between the largest that held and the smallest that did not, in every repetition alike:
    equal answers, however many, do not tell it exactly.
    """
    if samples.rounding is None:
        return 0.0
    middle = max(median(samples.values), 1.0)
    return (max(1.0, samples.rounding * middle) / middle) ** 2 / 12


def _cell(subject: Subject, samples: Samples, interval: Interval, relative_width: float) -> Cell:
    middle = float(median(samples.values))
    low, high = interval or (None, None)
    return Cell(
        subject=subject.subject, experiment=subject.experiment, identity=subject.identity, n=len(samples.values),
        missing=subject.missing, samples=samples.values, noisy=samples.noisy, median=middle, low=low, high=high,
        stable=interval is not None and high - low <= relative_width * abs(middle),
    )


def _table(family: str, metric: str, tables: dict[str, Sampled], cells: list[Cell],
           declared: Recommendations) -> MetricTable:
    rows = tables[metric]
    unit, better, title = rows[0][1].unit, rows[0][1].better, metrics.title(family, metric)
    why = _why_unranked(metric, tables, declared.shortest_rankable_seconds)
    pairs: list[Pair] = []
    if why is None:
        cells, pairs = _ranked([samples for _, samples in rows], cells, declared)
    at_least = {subject.subject for subject, _ in rows if CENSORED in subject.limits.get(metric, {})}
    return MetricTable(
        metric=metric, title=title, unit=unit, better=better, ranked=why is None, why_unranked=why, cells=cells,
        pairs=pairs, statement=statements.of_table(title, unit, better, why, cells, pairs, declared.confidence,
                                                   declared.practical_threshold, at_least),
    )


def _why_unranked(metric: str, tables: dict[str, Sampled], shortest_seconds: float) -> str | None:
    """Why this metric tells nobody's place, or None when it does."""
    rows = tables[metric]
    if rows[0][1].better == "none":
        return "more of it is neither better nor worse"
    if any(samples.rounding is None and min(samples.values) <= 0 for _, samples in rows):
        return "some samples are zero, so there is no ratio"
    timed = rows
    if rows[0][1].unit in words.RATES:
        timed = tables.get(f"{metric.split('_')[0]}_seconds", [])
    elif rows[0][1].unit != "s" or metrics.of_many(metric):
        return None
    longest = max((float(median(samples.values)) for _, samples in timed), default=shortest_seconds)
    return words.too_short(longest, shortest_seconds) if longest < shortest_seconds else None


def _ranked(samples: list[Samples], cells: list[Cell], declared: Recommendations) -> tuple[list[Cell], list[Pair]]:
    """Cells with rank, tier and ratio, best first, and the pairs in the same order."""
    middle = _costs([cell.median for cell in cells], samples[0])
    order = sorted(range(len(cells)), key=lambda place: (middle[place], cells[place].subject))
    differences = pairwise([costs(each) for each in samples], declared.confidence, [floor(each) for each in samples])
    worse = (differences.worse(declared.confidence, declared.practical_threshold)
             & (middle[:, None] > middle[None, :]))
    tier = tiers(order, worse)
    order.sort(key=lambda place: tier[place])
    best = order[0]
    ratio, low, high = (bounded(x, DECIMALS) for x in
                        (middle - middle[best], differences.low[:, best], differences.high[:, best]))
    placed = [(tier[place], middle[place]) for place in order]
    ranked = [cells[place].model_copy(update={
        "rank": 1 + placed.index((tier[place], middle[place])), "tier": tier[place], "ratio": ratio[place],
        "ratio_low": _known(low[place]) if place != best else 1.0,
        "ratio_high": _known(high[place]) if place != best else 1.0,
    }) for place in order]
    return ranked, pairs([cell.subject for cell in cells], order, differences, worse)


def pairs(subjects: Sequence[str], order: Sequence[int], differences: Differences, worse: np.ndarray) -> list[Pair]:
    """Every pair with two samples or more on both sides, in the order of the subjects."""
    ratio, low, high = (bounded(x, DECIMALS) for x in (differences.log_ratio, differences.low, differences.high))
    p, told, turned, supported = (x.tolist() for x in (
        np.round(differences.p, DECIMALS), ~np.isnan(differences.p), differences.log_ratio < 0, worse))
    found = []
    for at, first in enumerate(order):
        for second in order[at + 1:]:
            good, bad = (second, first) if turned[second][first] else (first, second)
            if told[bad][good]:
                found.append(Pair(better=subjects[good], worse=subjects[bad], ratio=ratio[bad][good],
                                  low=low[bad][good], high=high[bad][good], p=p[bad][good],
                                  supported=supported[bad][good]))
    return found


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
