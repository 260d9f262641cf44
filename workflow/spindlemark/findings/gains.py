"""Gains: what each tuned configuration gained or lost against the default of its own filesystem."""

from collections.abc import Mapping, Sequence

import numpy as np

from spindlemark.findings import statements
from spindlemark.findings.compare import Differences, bounded, chosen
from spindlemark.findings.configurations import baseline
from spindlemark.findings.report import Configuration, Gain, MetricTable, Task
from spindlemark.findings.samples import Comparable, Subject
from spindlemark.findings.settings import Recommendations
from spindlemark.findings.tables import DECIMALS, costs, floor
from spindlemark.findings.weighing import weighted_costs, weighted_floor

FEWEST = 2


def gains(group: Comparable, tasks: Sequence[Task], tables: Mapping[str, MetricTable],
          configurations: Mapping[str, Configuration], declared: Recommendations) -> list[Gain]:
    """Gains of every tuned subject: over the weighted tasks first, then under each counted task.

    Which pairs are compared is known before the samples are: each setting with its own default. So only these are
    adjusted for, under each metric for itself, as the tables are (see `compare.chosen`). Spreads are estimated from all
    subjects of the group.
    """
    counted = [task for task in tasks if task.counted]
    if not counted:
        return []
    metrics, weights = [task.metric for task in counted], [task.weight for task in counted]
    whole = [s for s in group.subjects if _samples(s, metrics) >= FEWEST]
    found = _compared(group, None, statements.WEIGHTED, whole, [weighted_costs(s, metrics, weights) for s in whole],
                      [weighted_floor(s, metrics, weights) for s in whole], None, configurations, declared)
    for task in counted:
        able = [s for s in group.subjects if _samples(s, [task.metric]) >= FEWEST]
        samples = [s.metrics[task.metric] for s in able]
        found += _compared(group, task.metric, task.title, able, [costs(each) for each in samples],
                           [floor(each) for each in samples], tables[task.metric], configurations, declared)
    places = {subject.subject: place for place, subject in enumerate(group.subjects)}
    return sorted(found, key=lambda gain: places[gain.subject])


def directions(differences: Differences, confidence: float, threshold: float) -> np.ndarray:
    """Per comparison 1 where the first is supportedly worse, -1 where it is supportedly better, else 0."""
    turned = Differences(-differences.log_ratio, -differences.high, -differences.low, differences.p)
    return (differences.worse(confidence, threshold).astype(int) - turned.worse(confidence, threshold).astype(int))


def _compared(group: Comparable, metric: str | None, title: str, able: list[Subject], values: list[np.ndarray],
              floors: list[float], table: MetricTable | None, configurations: Mapping[str, Configuration],
              declared: Recommendations) -> list[Gain]:
    places = {subject.subject: place for place, subject in enumerate(able)}
    tuned = [(s, base) for s in able if (base := baseline(s, group)) is not None and base.subject in places]
    if not tuned:
        return []
    differences = chosen(values, [(places[base.subject], places[s.subject]) for s, base in tuned], declared.confidence,
                         floors)
    supported = directions(differences, declared.confidence, declared.practical_threshold)
    ratio, low, high = (bounded(x, DECIMALS) for x in (differences.log_ratio, differences.low, differences.high))
    found = []
    for at, (subject, base) in enumerate(tuned):
        gain = Gain(subject=subject.subject, baseline=base.subject, metric=metric, title=title, ratio=ratio[at],
                    low=low[at], high=high[at], p=round(float(differences.p[at]), DECIMALS),
                    supported=bool(supported[at]), statement="")
        told = statements.of_gain(gain, configurations[subject.subject].description, table, declared.confidence)
        found.append(gain.model_copy(update={"statement": told}))
    return found


def _samples(subject: Subject, metrics: Sequence[str]) -> int:
    return min(len(subject.metrics[m].values) if m in subject.metrics else 0 for m in metrics)
