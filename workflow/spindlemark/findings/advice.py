"""Advice: weigh the tasks of a library and say which subjects to choose, and how sure that is."""

import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from spindlemark.findings import recipe, statements
from spindlemark.findings.compare import pairwise, tiers
from spindlemark.findings.report import Configuration, Draws, MetricTable, Option, Pair, Recommendation, Task
from spindlemark.findings.samples import Comparable, Subject
from spindlemark.findings.settings import Recommendations
from spindlemark.findings.tables import DECIMALS, pairs
from spindlemark.findings.weighing import repetitions, weighted_floor

FEWEST = 3
MOST_OPTIONS = 3
DRAW_DECIMALS = 4
SEED = 20261121


def advise(group: Comparable, tables: dict[str, MetricTable], declared: Recommendations,
           configurations: Mapping[str, Configuration] = MappingProxyType({})
           ) -> tuple[Recommendation | None, list[str]]:
    """The recommendation of one group, and notes: who was left out of it, or why there is none."""
    tasks = weighed(declared, group.family, group.library, tables)
    if not tasks:
        return None, [statements.of_no_weights(group.family, group.library)]
    metrics = [task.metric for task in tasks if task.counted]
    if not metrics:
        return None, [statements.NOTHING_RANKED]
    subjects, notes = _eligible(group.subjects, metrics, tables)
    if len(subjects) < 2:
        return None, [*notes, statements.of_no_choice(len(subjects))]
    return _recommend(group, subjects, tasks, tables, declared, configurations), notes


def weighed(declared: Recommendations, family: str, workload: str, tables: Mapping[str, MetricTable]) -> list[Task]:
    """The tasks of a workload in the order of their declaration, counted where the metric is ranked; none where it has
    no declared weights."""
    advice = declared.families.get(family)
    weights = advice.weights(workload) if advice else None
    if advice is None or weights is None:
        return []
    return [Task(task=name, title=task.title, description=task.description, metric=task.metric,
                 weight=weights[name].weight, reason=weights[name].reason,
                 counted=task.metric in tables and tables[task.metric].ranked)
            for name, task in advice.tasks.items() if name in weights]


def weigh(draws: Draws, weights: Sequence[float]) -> tuple[list[float], list[float]]:
    """Score and probability of being best of each subject under `weights`, one per counted task.

    The formula is that of `report.Draws`, summed task by task in the same order as a page's script does it, so that
    both get the same figures to the last bit before rounding.
    """
    log_ratio, factor, point = (np.array(x) for x in (draws.log_ratio, draws.weight_factor, draws.point))
    cost, score, total = np.zeros(log_ratio.shape[:2]), np.zeros(len(point)), 0.0
    for task, weight in enumerate(weights):
        cost = cost + (weight * factor[:, task])[:, None] * log_ratio[:, :, task]
        score = score + weight * point[:, task]
        total = total + weight
    best = cost == cost.min(axis=1, keepdims=True)
    chance = (best / best.sum(axis=1, keepdims=True)).sum(axis=0) / len(cost)
    return np.round(np.exp(score / total), DECIMALS).tolist(), np.round(chance, DECIMALS).tolist()


def resample(values: Sequence[np.ndarray], count: int, spread: float, seed: Sequence[int]) -> dict[str, list]:
    """`count` draws from `values`, one array (task x repetition) of costs per subject.

    A draw takes whole repetitions of each subject with replacement, so that tasks of one repetition stay together,
    and the median of each task; weights get a log-normal factor with `spread`. Fields as in `report.Draws`.
    """
    rng = np.random.default_rng(seed)
    factor = rng.lognormal(0, spread, (count, values[0].shape[0]))
    drawn = np.stack([
        np.median(each[:, rng.integers(0, each.shape[1], (count, each.shape[1]))], axis=2).T for each in values
    ], axis=1)
    middle = np.stack([np.median(each, axis=1) for each in values])
    return {
        "point": _rounded(middle - middle.min(axis=0)),
        "log_ratio": _rounded(drawn - drawn.min(axis=1, keepdims=True)),
        "weight_factor": _rounded(factor),
    }


def _recommend(group: Comparable, subjects: list[Subject], tasks: list[Task], tables: dict[str, MetricTable],
               declared: Recommendations, configurations: Mapping[str, Configuration]) -> Recommendation:
    counted = [task for task in tasks if task.counted]
    names, weights = [s.subject for s in subjects], [task.weight for task in counted]
    metrics = [task.metric for task in counted]
    values = [repetitions(subject, metrics) for subject in subjects]
    floors = [weighted_floor(subject, metrics, weights) for subject in subjects]
    draws = Draws(subjects=names, tasks=[task.task for task in counted],
                  **resample(values, declared.draws, declared.weight_spread, (SEED, zlib.crc32(group.group.encode()))))
    scores, chances = weigh(draws, weights)
    order, tier, compared = _tiers(names, values, floors, draws, weights, scores, chances, declared)
    ordered = [names[place] for place in order]
    chance = dict(zip(names, chances, strict=True))
    described = {name: configurations[name].description for name in names if name in configurations}
    sentence = statements.of_advice(ordered, {n: tier[i] for i, n in enumerate(names)}, chance,
                                    statements.find(compared, ordered[0], ordered[1]), declared.confidence, described)
    uncounted = [statements.of_uncounted(task.title, _why(tables, task.metric)) for task in tasks if not task.counted]
    return Recommendation(
        supported=tier.count(1) == 1, statements=[sentence, *uncounted], tasks=tasks, draws=draws,
        scores=dict(zip(names, scores, strict=True)), probability_best=chance,
        options=[Option(option=at, subject=names[place], score=scores[place], probability_best=chances[place],
                        tier=tier[place], recipe=recipe.commands(subjects[place].settings),
                        costs=statements.of_costs(names[place], names, tasks, tables, declared.confidence),
                        configuration=configurations.get(names[place]))
                 for at, place in enumerate(_options(order, subjects), start=1)],
    )


def _options(order: Sequence[int], subjects: Sequence[Subject]) -> list[int]:
    """The first configuration of each of the first filesystems: a choice among settings of one alone is none."""
    first: dict[str, int] = {}
    for place in order:
        first.setdefault(subjects[place].settings.get("filesystem.name", subjects[place].subject), place)
    return list(first.values())[:MOST_OPTIONS]


def _tiers(names: list[str], values: list[np.ndarray], floors: list[float], draws: Draws, weights: list[float],
           scores: list[float], chances: list[float], declared: Recommendations
           ) -> tuple[list[int], list[int], list[Pair]]:
    """Order, tiers and pairs of the weighted cost; within a tier the one that is most probably best comes first.

    A difference is supported when both hold: the weighted cost of each repetition separates the two (`pairwise`, with
    the declared weights, adjusted for all pairs), and the better one wins in at least `confidence` of the draws, which
    resample the weights too.
    """
    differences = pairwise([np.average(each, axis=0, weights=weights) for each in values], declared.confidence, floors)
    score = np.array(scores)
    wins = _wins(draws, weights)
    worse = (differences.worse(declared.confidence, declared.practical_threshold)
             & (declared.confidence <= wins.T) & (score[:, None] > score[None, :]))
    order = sorted(range(len(names)), key=lambda place: (scores[place], names[place]))
    tier = tiers(order, worse)
    order.sort(key=lambda place: (tier[place], -chances[place]))
    return order, tier, pairs(names, order, differences, worse)


def _wins(draws: Draws, weights: list[float]) -> np.ndarray:
    """Share of the draws in which the row costs less than the column."""
    weighted = np.array(draws.weight_factor) * np.array(weights)
    cost = np.einsum("dt,dst->ds", weighted, np.array(draws.log_ratio))
    return (cost[:, :, None] < cost[:, None, :]).mean(axis=0)


def _eligible(subjects: Sequence[Subject], metrics: Sequence[str],
              tables: Mapping[str, MetricTable]) -> tuple[list[Subject], list[str]]:
    """Subjects that can be weighed, and a sentence for each that cannot."""
    chosen, notes = [], []
    for subject in subjects:
        n = {m: len(subject.metrics[m].values) if m in subject.metrics else 0 for m in metrics}
        if subject.failed:
            failed = sum(entry.repetitions for entry in subject.absent if entry.status == "failed")
            notes.append(statements.of_left_out_failed(subject.subject, failed, subject.absent[0].of))
        elif not subject.metrics:
            notes.append(statements.of_left_out_absent(subject.subject, subject.absent[0].status))
        elif max(n.values()) >= FEWEST and not min(n.values()):
            lacking = next(tables[m].title for m in metrics if not n[m])
            notes.append(statements.of_left_out_lacking(subject.subject, lacking))
        elif min(n.values()) < FEWEST:
            notes.append(statements.of_left_out_few(subject.subject, min(n.values()), FEWEST))
        else:
            chosen.append(subject)
    return chosen, notes


def _why(tables: dict[str, MetricTable], metric: str) -> str:
    return (tables[metric].why_unranked or "") if metric in tables else "it was not measured"


def _rounded(values: np.ndarray) -> list:
    return (np.round(values, DRAW_DECIMALS) + 0.0).tolist()
