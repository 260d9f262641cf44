"""Groups: the findings of one database, group by group."""

from pathlib import Path

from spindlemark.findings import statements, tables
from spindlemark.findings.advice import advise
from spindlemark.findings.report import Absent, Findings, Group, MetricTable, Recommendation
from spindlemark.findings.samples import Comparable, read
from spindlemark.findings.settings import Recommendations
from spindlemark.findings.stability import counted


def compute(database: Path, declared: Recommendations, relative_width: float) -> Findings:
    """Everything that is said about the results in `database`; the same input gives the same findings.

    `relative_width`: widest interval of a stable cell, as a share of its median. Raises UserError for a database that
    is missing or damaged.
    """
    groups = sorted(read(database), key=lambda group: declared.place(group.family, group.library))
    every = tables.build(groups, declared, relative_width)
    return Findings(
        confidence=declared.confidence, practical_threshold=declared.practical_threshold,
        shortest_rankable_seconds=declared.shortest_rankable_seconds, weight_spread=declared.weight_spread,
        relative_width=relative_width,
        groups=[_group(group, found, declared, relative_width) for group, found in zip(groups, every, strict=True)],
    )


def compare(database: Path, declared: Recommendations, relative_width: float, source: str) -> list[Group]:
    """The groups of one published study, by the same statistics and without advice; see `compute`."""
    groups = read(database, source)
    every = tables.build(groups, declared, relative_width)
    return [_described(group, found, None, _limits(group, found, None, declared, relative_width))
            for group, found in zip(groups, every, strict=True)]


def _group(group: Comparable, found: dict[str, MetricTable], declared: Recommendations, relative_width: float) -> Group:
    recommendation, notes = advise(group, found, declared)
    limits = _limits(group, found, recommendation, declared, relative_width)
    return _described(group, found, recommendation, [*notes, *limits])


def _described(group: Comparable, found: dict[str, MetricTable], recommendation: Recommendation | None,
               notes: list[str]) -> Group:
    return Group(
        group=group.group, testbed=group.testbed, family=group.family, library=group.library,
        library_factors=group.library_factors, conditions=group.conditions,
        subjects=[subject.subject for subject in group.subjects], metrics=list(found.values()),
        absent=_absent(group), notes=notes,
        recommendation=recommendation,
    )


def _absent(group: Comparable) -> list[Absent]:
    return [entry for subject in group.subjects for entry in subject.absent]


def _limits(group: Comparable, found: dict[str, MetricTable], recommendation: Recommendation | None,
            declared: Recommendations, relative_width: float) -> list[str]:
    wanted = counted(recommendation, declared.metrics())
    cells = [cell for table in found.values() if table.ranked and table.metric in wanted for cell in table.cells]
    if not cells:
        return []
    disturbed = {(subject.identity, repetition) for subject in group.subjects for samples in subject.metrics.values()
                 for repetition, noisy in zip(samples.repetitions, samples.noisy, strict=True) if noisy}
    repetitions = {(subject.identity, repetition) for subject in group.subjects
                   for samples in subject.metrics.values() for repetition in samples.repetitions}
    return statements.of_samples(min(cell.n for cell in cells), len(disturbed), len(repetitions),
                                 sum(not cell.stable for cell in cells), len(cells), relative_width)
