"""Groups: the findings of one database, group by group."""

from pathlib import Path

from spindlemark.findings import statements, tables, words
from spindlemark.findings.advice import advise, weighed
from spindlemark.findings.configurations import Catalogue, catalogue, configuration, workload
from spindlemark.findings.gains import gains
from spindlemark.findings.kernels import kernels
from spindlemark.findings.observations import observations
from spindlemark.findings.report import Absent, Findings, Gain, Group, MetricTable, Recommendation
from spindlemark.findings.samples import Comparable, read
from spindlemark.findings.settings import Recommendations
from spindlemark.findings.stability import counted
from spindlemark.paths import CONFIG


def compute(database: Path, declared: Recommendations, relative_width: float, config: Path = CONFIG) -> Findings:
    """Everything that is said about the results in `database`; the same input gives the same findings.

    `relative_width`: widest interval of a stable cell, as a share of its median. `config`: the folder whose words
    describe filesystems and libraries. Raises UserError for a database that is missing or damaged.
    """
    known = catalogue(config)
    groups = sorted(read(database), key=lambda group: declared.place(group.family, group.library))
    every = tables.build(groups, declared, relative_width)
    titles = {group.group: workload(group, known) or words.family(group.family) for group in groups}
    return Findings(
        confidence=declared.confidence, practical_threshold=declared.practical_threshold,
        shortest_rankable_seconds=declared.shortest_rankable_seconds, weight_spread=declared.weight_spread,
        relative_width=relative_width,
        groups=[_group(group, found, declared, relative_width, known)
                for group, found in zip(groups, every, strict=True)],
        kernels=kernels(list(zip(groups, every, strict=True)), titles, declared),
    )


def compare(database: Path, declared: Recommendations, relative_width: float, source: str) -> list[Group]:
    """The groups of one published study, by the same statistics and without advice; see `compute`."""
    groups = read(database, source)
    every = tables.build(groups, declared, relative_width)
    return [_described(group, found, None, _limits(group, found, None, declared, relative_width))
            for group, found in zip(groups, every, strict=True)]


def _group(group: Comparable, found: dict[str, MetricTable], declared: Recommendations, relative_width: float,
           known: Catalogue) -> Group:
    configurations = {s.subject: c for s in group.subjects if (c := configuration(s, known)) is not None}
    recommendation, notes = advise(group, found, declared, configurations)
    tasks = weighed(declared, group.family, group.library, found)
    gained = gains(group, tasks, found, configurations, declared)
    limits = _limits(group, found, recommendation, declared, relative_width)
    emulated = [statements.EMULATED] if group.emulated else []
    described = _described(group, found, _with_tuning(recommendation, gained), [*emulated, *notes, *limits])
    return described.model_copy(update={
        "workload_title": workload(group, known), "configurations": configurations, "gains": gained,
        "observations": observations(group, found)})


def _described(group: Comparable, found: dict[str, MetricTable], recommendation: Recommendation | None,
               notes: list[str]) -> Group:
    return Group(
        group=group.group, testbed=group.testbed, family=group.family, library=group.library,
        library_factors=group.library_factors, conditions=group.conditions,
        subjects=[subject.subject for subject in group.subjects], metrics=list(found.values()),
        absent=_absent(group), notes=notes,
        recommendation=recommendation,
    )


def _with_tuning(recommendation: Recommendation | None, gained: list[Gain]) -> Recommendation | None:
    """The recommendation, which also says what tuning did for the filesystem of its first option."""
    if recommendation is None:
        return None
    told = statements.of_tuning(recommendation.options[0].subject, gained)
    return recommendation.model_copy(update={"statements": [*recommendation.statements, *told]})


def _absent(group: Comparable) -> list[Absent]:
    return [entry for subject in group.subjects for entry in subject.absent]


def _limits(group: Comparable, found: dict[str, MetricTable], recommendation: Recommendation | None,
            declared: Recommendations, relative_width: float) -> list[str]:
    searched = [note for table in found.values() for note in _searched(group, table)]
    wanted = counted(recommendation, declared.metrics())
    cells = [cell for table in found.values() if table.ranked and table.metric in wanted for cell in table.cells]
    if not cells:
        return searched
    disturbed = {(subject.identity, repetition) for subject in group.subjects for samples in subject.metrics.values()
                 for repetition, noisy in zip(samples.repetitions, samples.noisy, strict=True) if noisy}
    repetitions = {(subject.identity, repetition) for subject in group.subjects
                   for samples in subject.metrics.values() for repetition in samples.repetitions}
    return [*searched, *statements.of_samples(min(cell.n for cell in cells), len(disturbed), len(repetitions),
                                              sum(not cell.stable for cell in cells), len(cells), relative_width)]


def _searched(group: Comparable, table: MetricTable) -> list[str]:
    """Notes on subjects whose largest number was not ended by the disk."""
    ended = {cause: [s.subject for s in group.subjects if cause in s.limits.get(table.metric, {})]
             for cause in (tables.CENSORED, tables.BY_PROCESSOR)}
    return statements.of_limits(ended[tables.CENSORED], ended[tables.BY_PROCESSOR], table.title)
