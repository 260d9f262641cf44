"""Advice: weigh the tasks of a library and say which subjects to choose, and how sure that is."""

import zlib
from collections.abc import Sequence

import numpy as np

from spindlemark.findings import recipe, statements, words
from spindlemark.findings.compare import pairwise, tiers
from spindlemark.findings.report import Draws, MetricTable, Option, Pair, Recommendation, Task
from spindlemark.findings.samples import Comparable, Subject
from spindlemark.findings.settings import FamilyAdvice, Recommendations
from spindlemark.findings.tables import DECIMALS, costs, pairs

FEWEST = 3
MOST_OPTIONS = 3
DRAW_DECIMALS = 4
SEED = 20261121


def advise(group: Comparable, tables: dict[str, MetricTable],
           declared: Recommendations) -> tuple[Recommendation | None, list[str]]:
    """The recommendation of one group, and notes: who was left out of it, or why there is none."""
    family = declared.families.get(group.family)
    if family is None or group.library not in family.libraries:
        return None, [f"No advice: config/recommendations.yaml declares no weights for the library {group.library}."]
    tasks = weighed(family, group.library, tables)
    metrics = [task.metric for task in tasks if task.counted]
    if not metrics:
        return None, ["No advice: none of the weighted tasks can be ranked here."]
    subjects, notes = _eligible(group.subjects, metrics)
    if len(subjects) < 2:
        can = words.counted(len(subjects), "subject")
        return None, [*notes, f"No advice: {can} can be weighed, and a choice needs 2."]
    return _recommend(group, subjects, tasks, tables, declared), notes


def weighed(family: FamilyAdvice, library: str, tables: dict[str, MetricTable]) -> list[Task]:
    """The tasks of a library in the order of their declaration; counted where the metric is ranked."""
    weights = family.libraries[library]
    return [Task(task=name, title=task.title, description=task.description, metric=task.metric,
                 weight=weights[name].weight, reason=weights[name].reason,
                 counted=task.metric in tables and tables[task.metric].ranked)
            for name, task in family.tasks.items() if name in weights]


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
               declared: Recommendations) -> Recommendation:
    counted = [task for task in tasks if task.counted]
    names, weights = [s.subject for s in subjects], [task.weight for task in counted]
    values = [_repetitions(subject, [task.metric for task in counted]) for subject in subjects]
    draws = Draws(subjects=names, tasks=[task.task for task in counted],
                  **resample(values, declared.draws, declared.weight_spread, (SEED, zlib.crc32(group.group.encode()))))
    scores, chances = weigh(draws, weights)
    order, tier, compared = _tiers(names, values, draws, weights, scores, chances, declared)
    ordered = [names[place] for place in order]
    chance = dict(zip(names, chances, strict=True))
    sentence = statements.of_advice(ordered, {n: tier[i] for i, n in enumerate(names)}, chance,
                                    statements.find(compared, ordered[0], ordered[1]), declared.confidence)
    uncounted = [f"{task.title} is not counted: {_why(tables, task.metric)}." for task in tasks if not task.counted]
    return Recommendation(
        supported=tier.count(1) == 1, statements=[sentence, *uncounted], tasks=tasks, draws=draws,
        scores=dict(zip(names, scores, strict=True)), probability_best=chance,
        options=[Option(option=at, subject=names[place], score=scores[place], probability_best=chances[place],
                        tier=tier[place], recipe=recipe.commands(subjects[place].settings),
                        costs=statements.of_costs(names[place], names, tasks, tables, declared.confidence))
                 for at, place in enumerate(order[:MOST_OPTIONS], start=1)],
    )


def _tiers(names: list[str], values: list[np.ndarray], draws: Draws, weights: list[float], scores: list[float],
           chances: list[float], declared: Recommendations) -> tuple[list[int], list[int], list[Pair]]:
    """Order, tiers and pairs of the weighted cost; within a tier the one that is most probably best comes first.

    A difference is supported when both hold: the weighted cost of each repetition separates the two (`pairwise`, with
    the declared weights, adjusted for all pairs), and the better one wins in at least `confidence` of the draws, which
    resample the weights too.
    """
    differences = pairwise([np.average(each, axis=0, weights=weights) for each in values], declared.confidence)
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


def _eligible(subjects: Sequence[Subject], metrics: Sequence[str]) -> tuple[list[Subject], list[str]]:
    """Subjects that can be weighed, and a sentence for each that cannot."""
    chosen, notes = [], []
    for subject in subjects:
        n = min((len(subject.metrics[m].values) if m in subject.metrics else 0) for m in metrics)
        if subject.failed:
            failed = sum(entry.repetitions for entry in subject.absent if entry.status == "failed")
            total = subject.absent[0].of
            notes.append(f"{subject.subject} is left out of the advice: it failed in {failed} of "
                         f"{words.counted(total, 'repetition')}.")
        elif not subject.metrics:
            notes.append(f"{subject.subject} is left out of the advice: it is {subject.absent[0].status} here.")
        elif n < FEWEST:
            notes.append(f"{subject.subject} is left out of the advice: it has {words.counted(n, 'sample')}, "
                         f"and advice needs {FEWEST}.")
        else:
            chosen.append(subject)
    return chosen, notes


def _repetitions(subject: Subject, metrics: Sequence[str]) -> np.ndarray:
    """Costs of one subject, task x repetition; the database's checks see to it that none is missing."""
    return np.stack([costs(subject.metrics[metric]) for metric in metrics])


def _why(tables: dict[str, MetricTable], metric: str) -> str:
    return (tables[metric].why_unranked or "") if metric in tables else "it was not measured"


def _rounded(values: np.ndarray) -> list:
    return (np.round(values, DRAW_DECIMALS) + 0.0).tolist()
