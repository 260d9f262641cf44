"""Evidence: the matrices and spreads behind every comparison of each group."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from spindlemark.analysis.findings import between_sessions, metric_titles, robust
from spindlemark.analysis.findings.blocks import (
    FEWEST_QUIET,
    WEIGHTED,
    Matrix,
    aligned,
    is_short,
    shortest_of,
    weighted,
)
from spindlemark.analysis.findings.cells import Comparable, Configuration, Samples
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.findings.spreads import Between, Spread, pooled
from spindlemark.config import questions

CENSORED = "most_streams"  # what ended a search for a largest number: all that was tried held
FEWEST = 3


@dataclass(frozen=True)
class Counted:
    """A weighted task that can be compared in a group; `threshold` is a logarithm."""

    name: str
    task: questions.Task
    weight: float
    reason: str
    threshold: float


@dataclass(frozen=True)
class Short:
    """Under one metric the places of the configurations with times below `seconds`, which count as that long."""

    seconds: float
    places: frozenset[int]


@dataclass
class Evidence:
    """What one group's comparisons rest on; the matrices' rows are its configurations, WEIGHTED's those of `able` alone."""

    group: Comparable
    counted: list[Counted]
    able: list[int] = field(default_factory=list)
    matrices: dict[str, Matrix] = field(default_factory=dict)
    spreads: dict[str, Spread] = field(default_factory=dict)
    between: dict[str, Between] = field(default_factory=dict)  # sessions
    shorts: dict[str, Short] = field(default_factory=dict)  # of the metrics that have such samples

    def short(self, metric: str) -> frozenset[int]:
        """Places of the configurations with times that count as longer than they are."""
        return self.shorts[metric].places if metric in self.shorts else frozenset()

    def without(self, metric: str) -> frozenset[int]:
        """Places of the configurations that have nothing at all of a metric: no ratio is between two of them."""
        return frozenset(
            place
            for place, configuration in enumerate(self.group.configurations)
            if metric in configuration.metrics and not any(configuration.metrics[metric].values)
        )

    def capped(self, metric: str) -> frozenset[int]:
        """Places of the configurations that held at the largest number tried in every repetition: further ones end there too."""
        names = [metric] if metric else [each.task.metric for each in self.counted]
        return frozenset(
            place
            for place, configuration in enumerate(self.group.configurations)
            if all(
                name in configuration.metrics
                and configuration.limits.get(name, {}).get(CENSORED, 0) >= len(configuration.metrics[name].values)
                for name in names
            )
        )

    @property
    def weights(self) -> list[float]:
        """The weights of the counted tasks, in their order."""
        return [each.weight for each in self.counted]

    @property
    def threshold(self) -> float:
        """Of the weighted cost: the weighted mean of the tasks' thresholds, logarithms."""
        return float(np.average([each.threshold for each in self.counted], weights=self.weights))


def gather(
    groups: Sequence[Comparable],
    by_family: Mapping[str, questions.Questions],
    unranked: Sequence[Mapping[str, str]],
    declared: Recommendations,
) -> list[Evidence]:
    """The evidence of every group. `unranked`: per group the metrics without ranks."""
    found = [
        _evidence(group, by_family.get(group.family), why, declared)
        for group, why in zip(groups, unranked, strict=True)
    ]
    _spread(found)
    between_sessions.add(found, declared.session_spread)
    return found


def counted(
    group: Comparable, family_questions: questions.Questions | None, why: Mapping[str, str], declared: Recommendations
) -> list[Counted]:
    """The weighted tasks of a group's workload whose metrics were measured and can be ranked, in declared order."""
    weights = family_questions.weights_of(group.library, group.question) if family_questions else {}
    return [
        Counted(
            name,
            task,
            weights[name].weight,
            weights[name].reason,
            declared.log_margin(task, group.samples(task.metric)),
        )
        for name, task in (family_questions.tasks.items() if family_questions else ())
        if name in weights and task.metric in group.metrics and task.metric not in why
    ]


def able(configurations: Sequence[Configuration], names: Sequence[str]) -> list[int]:
    """Places of the configurations that can be weighed: none failed, each metric has enough samples."""
    return [
        place
        for place, configuration in enumerate(configurations)
        if not configuration.failed
        and all(name in configuration.metrics and len(configuration.metrics[name].values) >= FEWEST for name in names)
    ]


def short(evidence: Evidence) -> dict[int, Counted]:
    """Place of each configuration that was below what a task requires at least, in any repetition -> the first such task."""
    found: dict[int, Counted] = {}
    for each in evidence.counted:
        for place, configuration in enumerate(evidence.group.configurations):
            samples = configuration.metrics.get(each.task.metric)
            if each.task.at_least is not None and samples and min(samples.values) < each.task.at_least:
                found.setdefault(place, each)
    return found


def _evidence(
    group: Comparable, family_questions: questions.Questions | None, why: Mapping[str, str], declared: Recommendations
) -> Evidence:
    tasks = counted(group, family_questions, why, declared)
    names = [name for name in metric_titles.ordered(group, group.metrics) if name not in why]
    found = Evidence(group, tasks)
    rows = [[configuration.metrics.get(name) for configuration in group.configurations] for name in names]
    for name, row, matrix in zip(names, rows, aligned(rows, declared.shortest_rankable_seconds), strict=True):
        found.matrices[name] = robust.winsorized(matrix) if _timed(row) else matrix
    found.shorts = dict(_shorts(group, names, declared.shortest_rankable_seconds))
    found.able = able(group.configurations, [each.task.metric for each in tasks])
    if tasks and len(found.able) > 1:
        found.matrices[WEIGHTED] = _weighted(found, declared.shortest_rankable_seconds)
    return found


def _weighted(found: Evidence, shortest: float) -> Matrix:
    """The weighted costs of the configurations that have every task.

    Each task leaves out its own disturbed rounds. Where they leave fewer than FEWEST_QUIET rounds in common, all rounds stay.
    """
    metrics = [each.task.metric for each in found.counted]
    quiet = weighted([found.matrices[metric].of(found.able) for metric in metrics], found.weights)
    if quiet.counts.min() >= FEWEST_QUIET:
        return quiet
    rows = [[found.group.configurations[place].metrics.get(metric) for place in found.able] for metric in metrics]
    every = [
        robust.winsorized(own) if _timed(row) else own
        for row, own in zip(rows, aligned(rows, shortest, keep=True), strict=True)
    ]
    return weighted(every, found.weights)


def _timed(row: Sequence[Samples | None]) -> bool:
    """Whether a busy host makes single samples of this metric worse."""
    return any(each and each.kind in ("time", "rate") for each in row)


def _shorts(group: Comparable, names: Sequence[str], shortest: float) -> Iterator[tuple[str, Short]]:
    for name in names:
        own = {place: s.metrics[name] for place, s in enumerate(group.configurations) if name in s.metrics}
        places = frozenset(place for place, samples in own.items() if is_short(samples, shortest))
        if places:
            yield name, Short(shortest_of(own[min(places)], shortest), places)


def _spread(found: Sequence[Evidence]) -> None:
    """Spreads, borrowed over the workloads of a question's metric on one testbed."""
    pools: dict[tuple, list[Evidence]] = defaultdict(list)
    for each in found:
        for name, matrix in each.matrices.items():
            own = () if matrix.blocked else (each.group.group,)
            pools[(each.group.testbed, each.group.family, each.group.question, name, *own)].append(each)
    for (_, _, _, name, *_), members in pools.items():
        for each, spread in zip(members, pooled([each.matrices[name] for each in members]), strict=True):
            each.spreads[name] = spread
