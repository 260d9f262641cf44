"""Advice: weigh the tasks of a workload and say which configurations to choose, and what is not decided."""

from collections.abc import Container, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from spindlemark.analysis.findings import (
    actions,
    caveats,
    exclusions,
    recipe,
    recommendation_text,
    replicates,
    verdicts,
)
from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.cells import Configuration
from spindlemark.analysis.findings.comparisons import tiers
from spindlemark.analysis.findings.configurations import apart
from spindlemark.analysis.findings.evidence import FEWEST, Evidence, short
from spindlemark.analysis.findings.model import (
    DIFFERENT,
    FilesystemSettings,
    MetricTable,
    Need,
    Option,
    Pair,
    Recommendation,
    Task,
    Verdict,
)
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.findings.tables import pairs
from spindlemark.analysis.findings.verdicts import Places, Verdicts
from spindlemark.analysis.findings.weights import scores, weighing
from spindlemark.config import questions
from spindlemark.core.lossless import is_lossless

MOST_OPTIONS = 3
SPACE = "space_overhead_ratio"


def choices(evidence: Evidence) -> Mapping[str, Places]:
    """Metric -> the pairs of candidates that a question without baseline compares, over all tasks first."""
    able = [place for place in evidence.able if evidence.group.configurations[place].candidate]
    if not evidence.counted or len(able) < 2:
        return {}
    every = list(combinations(able, 2))
    return {WEIGHTED: every} | {each.task.metric: every for each in evidence.counted}


class Advice(NamedTuple):
    """The recommendation of one group, or the reason why there is none; notes: who was left out of it."""

    recommendation: Recommendation | None = None
    notes: Sequence[str] = ()
    reason: str = ""


def advise(
    evidence: Evidence,
    family_questions: questions.Questions | None,
    found: Mapping[str, Verdicts],
    tables: Mapping[str, MetricTable],
    declared: Recommendations,
    settings: Mapping[str, FilesystemSettings] = MappingProxyType({}),
) -> Advice:
    """What to choose in one group."""
    tasks = _weighed(evidence, family_questions, tables, declared)
    if reason := exclusions.beforehand(evidence, family_questions, tasks, tables):
        return Advice(reason=reason)
    notes = exclusions.left_out(evidence, tables)
    if WEIGHTED not in found:
        able = sum(evidence.group.configurations[place].candidate for place in evidence.able)
        return Advice(None, notes, caveats.of_no_choice(able, FEWEST))
    if np.isnan(found[WEIGHTED].judged.level).all():
        return Advice(None, notes, caveats.NOTHING_SHARED)
    lacking = short(evidence)
    notes += [
        caveats.of_short(
            evidence.group.configurations[place].name,
            task.task.title,
            min(evidence.group.configurations[place].metrics[task.task.metric].values),
        )
        for place, task in lacking.items()
    ]
    if all(place in lacking for pair in found[WEIGHTED].places for place in pair):
        return Advice(None, notes, caveats.ALL_SHORT)
    action = family_questions.action_of(evidence.group.question) if family_questions else ""
    return Advice(_recommend(evidence, found[WEIGHTED], lacking, tasks, tables, declared, settings, action), notes)


def _weighed(
    evidence: Evidence,
    family_questions: questions.Questions | None,
    tables: Mapping[str, MetricTable],
    declared: Recommendations,
) -> list[Task]:
    """The tasks of the group's workload in the order of their declaration, counted where the metric is ranked."""
    group = evidence.group
    weights = family_questions.weights_of(group.library, group.question) if family_questions else {}
    counted = {each.name for each in evidence.counted}
    return [
        Task(
            task=name,
            title=task.title,
            description=task.description,
            metric=task.metric,
            weight=weights[name].weight,
            reason=weights[name].reason,
            counted=name in counted,
            threshold=declared.margin(task, evidence.group.samples(task.metric)),
            note=tables[task.metric].note if task.metric in tables else "",
        )
        for name, task in (family_questions.tasks.items() if family_questions else ())
        if name in weights
    ]


def _recommend(
    evidence: Evidence,
    found: Verdicts,
    lacking: Container[int],
    tasks: list[Task],
    tables: Mapping[str, MetricTable],
    declared: Recommendations,
    settings: Mapping[str, FilesystemSettings],
    action: str,
) -> Recommendation:
    configurations = evidence.group.configurations
    names = [configuration.name for configuration in configurations]
    every = sorted({place for pair in found.places for place in pair})
    places = [place for place in every if place not in lacking]
    data = weighing(evidence, places, float(np.nanmin(found.judged.level)), float(np.nanmin(found.pairs.freedom)))
    score = dict(zip(places, scores(data, evidence.weights), strict=True))
    tier = dict(zip(places, tiers(found.beaten(len(configurations))[np.ix_(places, places)]), strict=True))
    order = sorted(places, key=lambda place: (tier[place], score[place], names[place]))
    first = [place for place in order if tier[place] == tier[order[0]]]
    verdict, best = verdicts.leader(found, order, first)
    if verdict == "equivalent":
        best = _preferred(best, first, configurations, settings, tables)
    order = [best, *(place for place in order if place != best)]
    by_names = {frozenset((p.better, p.worse)): p for p in pairs(found, WEIGHTED, True, evidence)}
    needed = _need(evidence, found, first, best) if verdict == "undecided" else None
    described = apart(settings)
    alike = len({(tuple(each.mkfs), tuple(each.mount), each.scheduler) for each in settings.values()}) <= 1
    lossless = _lossless(evidence, tables)
    whys = {task.title: _why(tables, task.metric) for task in tasks if not task.counted}
    uncounted = [
        caveats.of_uncounted([title for title in whys if whys[title] == why], why)
        for why in dict.fromkeys(whys.values())
    ]
    sessions = replicates.of(evidence, [names[place] for place in order])
    capped = verdict not in DIFFERENT and set(first) <= evidence.capped(WEIGHTED)
    return Recommendation(
        verdict=verdict,
        tasks=tasks,
        first=[names[place] for place in first],
        need=needed,
        weighing=data,
        statements=[
            actions.of(action, verdict, [names[p] for p in order], [names[p] for p in first], tables)
            + recommendation_text.of_advice(
                verdict,
                [names[p] for p in order],
                [names[p] for p in first],
                by_names,
                None if capped else needed,
                declared.confidence,
                np.expm1(evidence.threshold),
                described,
                _counting(evidence, places),
                lossless,
                len({settings[names[p]].filesystem for p in first if names[p] in settings}) > 1,
            )
            + (f" {caveats.ALL_HELD}" if capped else ""),
            *filter(None, [recommendation_text.of_sessions(sessions)]),
            *uncounted,
        ],
        lossless=lossless,
        capped=capped,
        scores={names[place]: score[place] for place in places},
        replicates=sessions,
        pairs=list(by_names.values()),
        options=[
            Option(
                option=at,
                configuration=names[place],
                score=score[place],
                tier=tier[place],
                verdict=_verdict(by_names, names[best], names[place]),
                recipe=recipe.commands(
                    configurations[place].settings | configurations[place].noted, evidence.group.family, alike
                ),
                costs=recommendation_text.of_costs(
                    names[place], [names[p] for p in every], tasks, tables, declared.confidence
                ),
                settings=settings.get(names[place]),
            )
            for at, place in enumerate(order[:MOST_OPTIONS], start=1)
        ],
    )


def _lossless(evidence: Evidence, tables: Mapping[str, MetricTable]) -> bool:
    """Whether one task alone counts, and the best of it is lossless: what others cost is not a multiple of that."""
    own = [tables[each.task.metric] for each in evidence.counted]
    return len(own) == 1 and is_lossless(own[0].cells[0].median, own[0].unit)


def _counting(evidence: Evidence, places: Sequence[int]) -> list[float]:
    """Seconds as which shorter times of the counted tasks count, where one of these configurations has such."""
    found = (evidence.shorts.get(each.task.metric) for each in evidence.counted)
    return [short.seconds for short in found if short and not short.places.isdisjoint(places)]


def _preferred(
    best: int,
    first: Sequence[int],
    configurations: Sequence[Configuration],
    settings: Mapping[str, FilesystemSettings],
    tables: Mapping[str, MetricTable],
) -> int:
    """Among equivalents the defaults, then what takes the least space, then the leader itself."""
    space = {cell.configuration: cell.median for cell in tables[SPACE].cells} if SPACE in tables else {}

    def preference(place: int) -> tuple:
        name = configurations[place].name
        own = settings.get(name)
        return (bool(own and own.description), round(space.get(name, 0.0), 3), place != best, name)

    return min(first, key=preference)


def _need(evidence: Evidence, found: Verdicts, first: Sequence[int], best: int) -> Need | None:
    """What would separate the first from the others of its tier, if only these are measured further."""
    seconds = verdicts.seconds(evidence, first)
    numbers = [at for other in first if other != best and (at := found.of(best, other)) is not None]
    return verdicts.most([verdicts.need(found, at, seconds, evidence.capped(WEIGHTED)) for at in numbers])


def _verdict(by_names: Mapping[frozenset, Pair], best: str, name: str) -> Verdict | None:
    pair = by_names.get(frozenset((best, name)))
    return pair.verdict if pair else None


def _why(tables: Mapping[str, MetricTable], metric: str) -> str:
    return (tables[metric].why_unranked or "") if metric in tables else "not measured here"
