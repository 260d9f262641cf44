"""Tables: each metric of a group with its medians, intervals, ratios, tiers and verdicts."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from statistics import median
from typing import NamedTuple

import numpy as np

from spindlemark.analysis.findings import caveats, metric_titles, table_text, text, verdicts
from spindlemark.analysis.findings.blocks import costs, shortest_of, smallest
from spindlemark.analysis.findings.cells import Comparable, Configuration, Samples
from spindlemark.analysis.findings.comparisons import EQUIVALENT, INCONCLUSIVE, NAMES, bounded, tiers
from spindlemark.analysis.findings.evidence import CENSORED, Evidence
from spindlemark.analysis.findings.intervals import Interval, medians
from spindlemark.analysis.findings.model import Cell, MetricTable, Pair, Precision, Verdict
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.findings.verdicts import Verdicts
from spindlemark.core.lossless import is_lossless

DECIMALS = 6
LIMIT = 1.96 * 2**0.5  # standard deviations, within which two results are in 95 % of cases
BY_PROCESSOR, BY_NEITHER = "processor", "neither"  # what ended a search for a largest number, apart from CENSORED
Sampled = list[tuple[Configuration, Samples]]


class Scope(NamedTuple):
    """How the tables of a group are judged: the question's own verdicts by metric, and whether there is a question."""

    primary: Mapping[str, Verdicts]
    has_question: bool
    declared: Recommendations


def sampled(group: Comparable) -> dict[str, Sampled]:
    """Metric -> the configurations that have samples of it, in the family's order of metrics."""
    return {
        metric: [(s, s.metrics[metric]) for s in group.configurations if metric in s.metrics]
        for metric in metric_titles.ordered(group, group.metrics)
    }


def intervals(groups: Sequence[Comparable], confidence: float) -> list[dict[str, list[Interval]]]:
    """Per group the intervals of medians by metric, in the order of `sampled`; all are computed in one go."""
    every = [sampled(group) for group in groups]
    found = iter(
        medians([samples.values for tables in every for rows in tables.values() for _, samples in rows], confidence)
    )
    return [{metric: [next(found) for _ in rows] for metric, rows in tables.items()} for tables in every]


def unranked(group: Comparable, declared: Recommendations) -> dict[str, str]:
    """Metric -> why it is not ranked, of those that are not."""
    every = sampled(group)
    found = {
        metric: metric_titles.chance(group, metric)
        or _why_unranked(metric, every, group, declared.shortest_rankable_seconds)
        for metric in every
    }
    return {metric: why for metric, why in found.items() if why}


def build(
    evidence: Evidence, why: Mapping[str, str], known: Mapping[str, list[Interval]], relative_width: float, scope: Scope
) -> dict[str, MetricTable]:
    """The tables of a group, by metric."""
    found = {}
    for metric, rows in sampled(evidence.group).items():
        cells = [
            _cell(configuration, samples, interval, relative_width, [each.name for each in evidence.group.sessions])
            for (configuration, samples), interval in zip(rows, known[metric], strict=True)
        ]
        found[metric] = _table(metric, rows, cells, evidence, why.get(metric), scope)
    return found


def pairs(found: Verdicts, metric: str, primary: bool, evidence: Evidence) -> Iterator[Pair]:
    """Every comparison that there are samples for, of a metric or over the weighted tasks."""
    judged, names = found.judged, [configuration.name for configuration in evidence.group.configurations]
    seconds, short = verdicts.seconds(evidence), evidence.short(metric)
    turned = judged.difference < 0
    ends = np.where(turned, (-judged.high, -judged.low), (judged.low, judged.high))
    ratios = bounded(np.array([np.abs(judged.difference), *ends]).T, DECIMALS)
    for at, (first, second) in enumerate(found.places):
        if np.isnan(judged.low[at]):
            continue
        good, bad = (first, second) if turned[at] else (second, first)
        ratio, low, high = ratios[at]
        named = verdict(judged.verdict[at], {good, bad}, evidence, metric)
        wanted = verdicts.need(found, at, seconds, evidence.capped(metric)) if primary and named else None
        yield Pair(
            better=names[good],
            worse=names[bad],
            ratio=ratio,
            low=low,
            high=high,
            short=good in short,
            p=round(float(judged.p[at]), DECIMALS),
            verdict=named,
            primary=primary,
            need=wanted,
        )


def verdict(judged: int, two: Set[int], evidence: Evidence, metric: str) -> Verdict | None:
    """The name of a verdict; None if nothing distinguishes the `two` configurations.

    That is so if no difference is found and their times count as longer than they took, or if both have no value.
    """
    counting = len(two & evidence.short(metric))
    alike = (judged == EQUIVALENT and counting) or (judged == INCONCLUSIVE and counting == len(two))
    return None if alike or two <= evidence.without(metric) else NAMES[judged]


def _cell(
    configuration: Configuration, samples: Samples, interval: Interval, relative_width: float, sessions: Sequence[str]
) -> Cell:
    middle = float(median(samples.values))
    by_session = [[v for v, own in zip(samples.values, samples.sessions, strict=False) if own == s] for s in sessions]
    low, high = interval or (None, None)
    return Cell(
        configuration=configuration.name,
        experiment=configuration.experiment,
        identity=configuration.identity,
        n=len(samples.values),
        missing=configuration.missing,
        samples=samples.values,
        noisy=samples.noisy,
        median=middle,
        low=low,
        high=high,
        stable=interval is not None and interval[1] - interval[0] <= relative_width * abs(middle),
        session_medians=[float(median(own)) if own else None for own in by_session] if len(sessions) > 1 else [],
    )


def _table(
    metric: str, rows: Sampled, cells: list[Cell], evidence: Evidence, why: str | None, scope: Scope
) -> MetricTable:
    declared = scope.declared
    unit, better, title = rows[0][1].unit, rows[0][1].better, metric_titles.title(evidence.group, metric)
    primary = not scope.has_question or any(each.task.metric == metric for each in evidence.counted)
    short = evidence.shorts.get(metric)
    shortest = short.seconds if short else None
    found: list[Pair] = []
    if why is None:
        cells, found = _ranked(metric, rows, cells, evidence, scope)
    at_least = {configuration.name for configuration, _ in rows if CENSORED in configuration.limits.get(metric, {})}
    table = MetricTable(
        metric=metric,
        title=title,
        unit=unit,
        better=better,
        ranked=why is None,
        why_unranked=why,
        primary=primary,
        exact=why is None and evidence.matrices[metric].exact and not short,
        cells=cells,
        pairs=found,
        shortest_seconds=shortest,
        precision=_precision(metric, evidence) if why is None else None,
        note=caveats.of_short_times(cells, shortest)
        or caveats.of_nothing(cells if why is None else [], smallest(rows[0][1])),
        statement="",
    )
    threshold = float(np.expm1(_threshold(metric, evidence, declared)))
    return table.model_copy(update={"statement": table_text.of_table(table, declared.confidence, threshold, at_least)})


def _precision(metric: str, evidence: Evidence) -> Precision | None:
    """Repeatability and reproducibility limits: 1.96 sqrt(2) standard deviations (ISO 5725-6, 4.1.4)."""
    known = evidence.spreads[metric].variance
    if metric not in evidence.between or not evidence.matrices[metric].blocked or np.isnan(known).all():
        return None
    within, between = float(np.nanmean(known)), evidence.between[metric].variance
    if within == 0:
        return None
    limits = [float(np.expm1(LIMIT * np.sqrt(variance))) for variance in (within, within + between)]
    values = [np.sqrt(within), np.sqrt(between), *limits]
    return Precision(**dict(zip(Precision.model_fields, (round(float(v), DECIMALS) for v in values), strict=True)))


def _why_unranked(metric: str, tables: dict[str, Sampled], group: Comparable, shortest_seconds: float) -> str | None:
    """Why this metric is not ranked, or None when it is."""
    rows = tables[metric]
    if rows[0][1].better == "none":
        return "more of it is neither better nor worse"
    if any(not smallest(samples, shortest_seconds) and min(samples.values) <= 0 for _, samples in rows):
        return "some samples are zero, so there is no ratio"
    timed = rows
    if rows[0][1].kind == "rate":
        known = group.declared.get(metric)
        timed = tables.get(known.timed_by, []) if known and known.timed_by else []
    elif rows[0][1].kind != "time":
        return None
    bound = max((shortest_of(samples, shortest_seconds) for _, samples in timed), default=0.0)
    longest = max((float(median(samples.values)) for _, samples in timed), default=bound)
    return text.too_short(longest, bound) if longest < bound else None


def _ranked(
    metric: str, rows: Sampled, cells: list[Cell], evidence: Evidence, scope: Scope
) -> tuple[list[Cell], list[Pair]]:
    """Cells with ratio and verdict, with rank and tier those that are chosen from, best first, and the pairs in the same order."""
    configurations = evidence.group.configurations
    names = [configuration.name for configuration in configurations]
    places = [configurations.index(configuration) for configuration, _ in rows]
    known = [(v, p) for v, p in _judged(metric, places, evidence, scope)]
    middle = dict(
        zip(
            places,
            costs([cell.median for cell in cells], rows[0][1], scope.declared.shortest_rankable_seconds),
            strict=True,
        )
    )
    tier = _tiers([place for place in places if configurations[place].candidate] or places, known, len(configurations))
    compared = [pair for found, primary in known for pair in pairs(found, metric, primary, evidence)]
    by_name = {frozenset((pair.better, pair.worse)): pair for pair in compared}
    places_by = _places(places, tier, by_name, middle, names)
    order = sorted(places, key=lambda place: (*places_by[place], names[place]))
    placed = [places_by[place] for place in order if place in tier]
    best, cell_of = order[0], dict(zip(places, cells, strict=True))
    by_medians = dict(zip(places, bounded(np.array([*middle.values()]) - middle[best], DECIMALS), strict=True))
    ranked = []
    for place in order:
        pair = by_name.get(frozenset((names[best], names[place])))
        ratio: float | None
        ratio, *ends = (1.0, 1.0, 1.0) if place == best else _against(names[best], pair, by_medians[place])
        if not comparable(cell_of[best], cell_of[place], rows[0][1].unit):
            ratio, ends = None, [None, None]
        ranked.append(
            replace(
                cell_of[place],
                ratio=ratio,
                ratio_low=ends[0],
                ratio_high=ends[1],
                short=place in evidence.short(metric),
                rank=1 + placed.index(places_by[place]) if place in tier else None,
                tier=tier.get(place),
                verdict=pair.verdict if pair and place in tier else None,
            )
        )
    rank = {names[place]: at for at, place in enumerate(order)}
    return ranked, sorted(compared, key=lambda pair: sorted((rank[pair.better], rank[pair.worse])))


def comparable(better: Cell, worse: Cell, unit: str) -> bool:
    """Whether one is a multiple of the other: a lossless result has no multiple."""
    return not is_lossless(better.median, unit) or is_lossless(worse.median, unit)


def _tiers(places: Sequence[int], known: Sequence[tuple[Verdicts, bool]], size: int) -> dict[int, int]:
    """Place of each configuration that is ranked -> its tier among them."""
    beaten = np.any([found.beaten(size) for found, _ in known], axis=0) if known else np.zeros((size, size), bool)
    return dict(zip(places, tiers(beaten[np.ix_(places, places)]), strict=True))


def _judged(metric: str, places: Sequence[int], evidence: Evidence, scope: Scope) -> Iterator[tuple[Verdicts, bool]]:
    """The question's own comparisons of this metric, then the others; with whether they are the question's."""
    own = scope.primary.get(metric)
    if own:
        yield own, True
    done = {frozenset(pair) for pair in own.places} if own else set()
    others = [pair for pair in combinations(places, 2) if frozenset(pair) not in done]
    if others:
        threshold = _threshold(metric, evidence, scope.declared)
        yield verdicts.alone(evidence, metric, others, threshold, scope.declared.confidence), not scope.has_question


def _threshold(metric: str, evidence: Evidence, declared: Recommendations) -> float:
    """Logarithm of the equivalence margin: that of the counted task with this metric, else the default."""
    return next(
        (each.threshold for each in evidence.counted if each.task.metric == metric),
        declared.log_margin(None, evidence.group.samples(metric)),
    )


def _places(
    places: Sequence[int],
    tier: Mapping[int, int],
    by_name: Mapping[frozenset[str], Pair],
    middle: Mapping[int, float],
    names: Sequence[str],
) -> dict[int, tuple[int, int, float]]:
    """What orders the configurations: tier, how many of the same tier are better in the comparison, and the median."""
    last = len(names) + 1

    def worse_than(place: int) -> int:
        own = [other for other in places if other != place and tier.get(other) == tier.get(place)]
        found = (by_name.get(frozenset((names[place], names[other]))) for other in own)
        return sum(pair is not None and pair.worse == names[place] and pair.ratio > 1 for pair in found)

    return {place: (tier.get(place, last), worse_than(place), middle[place]) for place in places}


def _against(best: str, pair: Pair | None, by_medians: float) -> tuple[float, float | None, float | None]:
    """The ratio to the best and its interval, as the comparison estimates them; that of the medians where there is none."""
    if pair is None:
        return by_medians, None, None
    value, low, high = (round(each, DECIMALS) for each in pair.against(best))
    return value, low, high
