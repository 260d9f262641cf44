"""Groups: the findings of one database, group by group."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from spindlemark.analysis.findings import caveats, contrasts, metric_titles, tables
from spindlemark.analysis.findings.cells import Comparable
from spindlemark.analysis.findings.configurations import (
    Catalogue,
    apart,
    catalogue,
    in_words,
    settings_of,
    without_legacy,
    workload,
)
from spindlemark.analysis.findings.evidence import CENSORED, Evidence, gather
from spindlemark.analysis.findings.model import Absent, Contrasts, Findings, Group, MetricTable, Recommendation
from spindlemark.analysis.findings.observations import observations
from spindlemark.analysis.findings.recommendations import advise, choices
from spindlemark.analysis.findings.samples import read
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.findings.verdicts import primary
from spindlemark.config import questions
from spindlemark.core.paths import CONFIG

ByFamily = Mapping[str, questions.Questions]


def compute(database: Path, declared: Recommendations, relative_width: float, config: Path = CONFIG) -> Findings:
    """Compute all findings of `database`; the same input gives the same findings.

    `relative_width`: widest interval of a stable cell, as a share of its median. `config`: the folder whose questions
    are answered and whose labels describe filesystems and libraries. Raises UserError for a database that is missing or
    damaged.
    """
    by_family = questions.load(config)
    return answers(read(database, by_family), by_family, declared, relative_width, catalogue(config))


def answers(
    groups: Sequence[Comparable],
    by_family: ByFamily,
    declared: Recommendations,
    relative_width: float,
    known: Catalogue,
) -> Findings:
    """The same for groups that were read already."""
    groups = [without_legacy(group, known) for group in sorted(groups, key=lambda group: _place(group, by_family))]
    why = [tables.unranked(group, declared) for group in groups]
    every = gather(groups, by_family, why, declared)
    chosen = [at for at, group in enumerate(groups) if group.baseline is None]
    intervals = dict(zip(chosen, tables.intervals([groups[at] for at in chosen], declared.confidence), strict=True))
    found = [_group(every[at], why[at], intervals[at], by_family, declared, relative_width, known) for at in chosen]
    holding = _holding(found)
    answered = [
        _contrast(each, by_family, holding, declared, known) for each in every if each.group.baseline is not None
    ]
    return Findings(
        confidence=declared.confidence,
        practical_threshold=declared.practical_threshold,
        shortest_rankable_seconds=declared.shortest_rankable_seconds,
        relative_width=relative_width,
        groups=found,
        contrasts=[each for each in answered if each],
    )


def compare(database: Path, declared: Recommendations, relative_width: float, source: str) -> list[Group]:
    """The groups of one published study, by the same statistics and without advice; see `compute`."""
    groups = read(database, {}, source)
    why = [tables.unranked(group, declared) for group in groups]
    scope = tables.Scope({}, False, declared)
    return [
        _described(
            each,
            tables.build(each, reason, known, relative_width, scope),
            None,
            _limits(each, {}, None, relative_width),
        )
        for each, reason, known in zip(
            gather(groups, {}, why, declared), why, tables.intervals(groups, declared.confidence), strict=True
        )
    ]


def _place(group: Comparable, by_family: ByFamily) -> tuple:
    """A group's place in the order of declaration, which is the readers'; unknown ones come last, and after them
    what is only shown for comparison.
    """
    families, own = list(by_family), by_family.get(group.family)
    names, workloads = (list(own.questions), list(own.weights)) if own else ([], [])
    return (
        families.index(group.family) if own else len(families),
        workloads.index(group.library) if group.library in workloads else len(workloads),
        names.index(group.question) if group.question in names else len(names),
        not any(configuration.candidate for configuration in group.configurations),
    )


def _group(
    evidence: Evidence,
    why: Mapping[str, str],
    known: Mapping,
    by_family: ByFamily,
    declared: Recommendations,
    relative_width: float,
    words_of: Catalogue,
) -> Group:
    group, family = evidence.group, by_family.get(evidence.group.family)
    judged = primary(evidence, choices(evidence), declared.confidence)
    found = tables.build(evidence, why, known, relative_width, tables.Scope(judged, family is not None, declared))
    settings = settings_of(group, words_of, family)
    recommendation, notes, reason = advise(evidence, family, judged, found, declared, settings)
    limits = _limits(evidence, found, recommendation, relative_width)
    emulated = [caveats.EMULATED] if group.emulated else []
    device = [*caveats.of_disk(group.conditions), *caveats.of_testbed(group.device_kind)]
    own = caveats.of_family(group.caveats, group.conditions)
    of_all = family.limits if family else []
    no_advice = [reason] if reason else []
    described = _described(
        evidence, found, recommendation, [*emulated, *device, *of_all, *own, *notes, *no_advice, *limits]
    )
    return described.model_copy(
        update={
            "reason": reason,
            "workload_title": workload(group, words_of, family),
            "settings": settings,
            "observations": observations(group, found),
        }
    )


def _described(
    evidence: Evidence, found: Mapping[str, MetricTable], recommendation: Recommendation | None, notes: list[str]
) -> Group:
    group = evidence.group
    return Group(
        group=group.group,
        question=group.question,
        testbed=group.testbed,
        family=group.family,
        library=group.library,
        library_parts=[part.name for part in group.workload],
        library_factors=group.library_factors,
        conditions=group.conditions,
        session=group.session,
        sessions=[session.name for session in group.sessions],
        configurations=[configuration.name for configuration in group.configurations],
        candidates=[configuration.name for configuration in group.configurations if configuration.candidate],
        metrics=list(found.values()),
        absent=_absent(group),
        notes=notes,
        recommendation=recommendation,
    )


def _holding(groups: Sequence[Group]) -> dict[str, tuple[int, str]]:
    """Identity -> place and name of the first of the groups that has a result of it."""
    found: dict[str, tuple[int, str]] = {}
    for at, group in enumerate(groups):
        for cell in (cell for table in group.metrics for cell in table.cells):
            found.setdefault(cell.identity, (at, group.group))
    return found


def _contrast(
    evidence: Evidence,
    by_family: ByFamily,
    holding: Mapping[str, tuple[int, str]],
    declared: Recommendations,
    known: Catalogue,
) -> Contrasts | None:
    own = evidence.group
    judged = primary(evidence, contrasts.against(evidence), declared.confidence)
    held = [holding.get(s.identity) for s in own.configurations if s.name != own.baseline]
    _, group = min(filter(None, held), default=(0, None))
    described = apart(settings_of(own, known))
    title = workload(own, known, by_family[own.family]) or by_family[own.family].title
    same_title = in_words([part for part in own.shared if part not in own.workload], own, by_family[own.family])
    return contrasts.contrast(
        evidence, by_family[own.family].questions[own.question], judged, described, title, same_title, group, declared
    )


def _absent(group: Comparable) -> list[Absent]:
    return [entry for configuration in group.configurations for entry in configuration.absent]


def _limits(
    evidence: Evidence, found: Mapping[str, MetricTable], recommendation: Recommendation | None, relative_width: float
) -> list[str]:
    group = evidence.group
    searched = [note for name in sorted(group.metrics) for note in _searched(group, name)]
    wanted = {each.task.metric for each in evidence.counted}
    cells = [cell for table in found.values() if table.ranked and table.metric in wanted for cell in table.cells]
    if not cells or recommendation is None:
        return searched
    disturbed = {
        (configuration.identity, repetition)
        for configuration in group.configurations
        for samples in configuration.metrics.values()
        for repetition, noisy in zip(samples.repetitions, samples.noisy, strict=True)
        if noisy
    }
    repetitions = {
        (configuration.identity, repetition)
        for configuration in group.configurations
        for samples in configuration.metrics.values()
        for repetition in samples.repetitions
    }
    return [
        *searched,
        *caveats.of_samples(
            min(cell.n for cell in cells),
            len(disturbed),
            len(repetitions),
            sum(not cell.stable for cell in cells),
            len(cells),
            relative_width,
        ),
    ]


def _searched(group: Comparable, metric: str) -> list[str]:
    """Notes on configurations whose largest number was not ended by the disk."""
    censored, by_processor, by_neither = (
        [s.name for s in group.configurations if cause in s.limits.get(metric, {})]
        for cause in (CENSORED, tables.BY_PROCESSOR, tables.BY_NEITHER)
    )
    return caveats.of_limits(censored, by_processor, by_neither, metric_titles.title(group, metric))
