"""Weighing: the costs of one subject over several tasks, repetition by repetition."""

from collections.abc import Sequence

import numpy as np

from spindlemark.findings.samples import Samples, Subject
from spindlemark.findings.tables import costs, floor


def repetitions(subject: Subject, metrics: Sequence[str]) -> np.ndarray:
    """Costs of one subject, task x repetition, of the repetitions that have all of `metrics`."""
    samples = [subject.metrics[metric] for metric in metrics]
    if len({len(each.values) for each in samples}) == 1:
        return np.stack([costs(each) for each in samples])
    shared = set.intersection(*(set(each.repetitions) for each in samples))
    return np.stack([_kept(each, shared) for each in samples])


def weighted_costs(subject: Subject, metrics: Sequence[str], weights: Sequence[float]) -> np.ndarray:
    """The weighted mean cost of each repetition."""
    return np.average(repetitions(subject, metrics), axis=0, weights=weights)


def weighted_floor(subject: Subject, metrics: Sequence[str], weights: Sequence[float]) -> float:
    """Least variance of the mean weighted cost, from that of each task; see `tables.floor`."""
    share = np.array(weights) / sum(weights)
    return float(share**2 @ np.array([floor(subject.metrics[metric]) for metric in metrics]))


def _kept(samples: Samples, repetitions: set[int]) -> np.ndarray:
    return np.array([cost for cost, n in zip(costs(samples), samples.repetitions, strict=True) if n in repetitions])
