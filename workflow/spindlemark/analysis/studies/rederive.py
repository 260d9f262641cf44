"""Rederive: the findings' own code on a study's published samples, compared with what the study concluded from them."""

from collections.abc import Iterator
from dataclasses import replace
from math import log
from pathlib import Path

import duckdb

from spindlemark.analysis.findings import tables
from spindlemark.analysis.findings.cells import Comparable
from spindlemark.analysis.findings.evidence import gather
from spindlemark.analysis.findings.model import MetricTable, Recommendation
from spindlemark.analysis.findings.recommendations import advise, choices
from spindlemark.analysis.findings.samples import read
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.findings.verdicts import primary
from spindlemark.analysis.studies import rederived_text as words
from spindlemark.analysis.studies.published_cells import read as read_source
from spindlemark.analysis.studies.published_model import Rederived, RederivedCell
from spindlemark.analysis.studies.source_model import Source
from spindlemark.analysis.studies.summary_model import Summary
from spindlemark.analysis.studies.suspicious_patterns import Anomaly, anomalies
from spindlemark.config import questions
from spindlemark.config.questions import Questions
from spindlemark.core import sql

MAIN = "main"
COPIED = "same_words_in_two_blocks"
Tables = dict[str, dict[str, MetricTable]]  # library -> metric -> table


def rederive(
    database: Path, folder: Path, summary: Summary, declared: Recommendations, relative_width: float
) -> list[Rederived]:
    """The study's two summary tables, cell by cell, against tiers and options from its own samples.

    Only the study's main series counts: tuned tests are another question. Raises UserError for damaged data.
    """
    groups = _groups(read(database, {}, folder.name), summary)
    source = read_source(folder)
    found, advice = _answered(groups, _standing_in(summary, source), declared, relative_width)
    with duckdb.connect(str(database), read_only=True) as connection:
        names = source.labels | summary.names
        extremes = list(_extremes(_cells(connection, folder.name, summary.best_and_worst.table), summary, names, found))
        extremes = _explained(extremes, summary, source, anomalies(connection, folder.name))
        options = list(_options(_cells(connection, folder.name, summary.options.table), summary, names, advice, found))
    return [
        Rederived(
            source=source.id,
            table=name,
            number=source.tables[name].number,
            title=source.tables[name].title,
            columns=columns,
            cells=cells,
            statement=statement,
        )
        for name, columns, cells, statement in (
            (
                summary.best_and_worst.table,
                [summary.best_and_worst.best, summary.best_and_worst.worst],
                extremes,
                words.of_table(extremes),
            ),
            (
                summary.options.table,
                summary.options.columns,
                options,
                f"{words.of_table(options)} {_following(options, summary, names, found)}",
            ),
        )
    ]


def _groups(groups: list[Comparable], summary: Summary) -> dict[str, Comparable]:
    """Library -> its group of the main series, with the tests that count for every library taken in."""
    main = {
        g.library: g for g in groups if g.conditions.get("series") == MAIN and g.family in _families(groups, summary)
    }
    shared = {s.name: s.metrics for s in main[summary.for_every_library].configurations}
    return {
        library: replace(
            group, configurations=[replace(s, metrics=shared.get(s.name, {}) | s.metrics) for s in group.configurations]
        )
        for library, group in main.items()
    }


def _families(groups: list[Comparable], summary: Summary) -> set[str]:
    wanted = set(summary.best_and_worst.tasks.values())
    return {group.family for group in groups if wanted & group.metrics}


def _answered(
    groups: dict[str, Comparable], by_family: dict[str, Questions], declared: Recommendations, relative_width: float
) -> tuple[Tables, dict[str, Recommendation]]:
    """By library: the tables, in which each metric is judged for itself as the study does it, and the advice."""
    why = [tables.unranked(group, declared) for group in groups.values()]
    intervals = tables.intervals(list(groups.values()), declared.confidence)
    every = gather(list(groups.values()), by_family, why, declared)
    found: Tables = {}
    advice: dict[str, Recommendation] = {}
    for library, each, reasons, known in zip(groups, every, why, intervals, strict=True):
        scope = tables.Scope({}, False, declared)
        found[library] = tables.build(each, reasons, known, relative_width, scope)
        judged = primary(each, choices(each), declared.confidence)
        advised = advise(each, by_family.get(each.group.family), judged, found[library], declared).recommendation
        if advised:
            advice[library] = advised
    return found, advice


def _standing_in(summary: Summary, source: Source) -> dict[str, Questions]:
    """The declared questions with the metrics that the study has in the place of ours.

    A family of ours that stands in for one of the study adds its tasks, which the study tested together with the others.
    """
    own = questions.load()
    for ours, stand_in in (source.today.families if source.today else {}).items():
        own[stand_in.family] = _joined(own[stand_in.family], own[ours])
    return {
        name: family.model_copy(
            update={
                "tasks": {
                    task: t.model_copy(update={"metric": summary.metrics[task]}) if task in summary.metrics else t
                    for task, t in family.tasks.items()
                }
            }
        )
        for name, family in own.items()
    }


def _joined(family: Questions, other: Questions) -> Questions:
    """Questions with the tasks and weights of another family that they lack."""
    weights = {workload: other.weights.get(workload, {}) | own for workload, own in family.weights.items()}
    return family.model_copy(update={"tasks": other.tasks | family.tasks, "weights": weights})


def _cells(connection: duckdb.DuckDBPyConnection, source: str, table: str) -> list[tuple[str, str, str]]:
    """Row label, column and printed text of one table, in printed order."""
    return connection.execute(sql.read("studies/printed_cells"), {"source": source, "table": table}).fetchall()


def _extremes(cells: list, summary: Summary, names: dict[str, str], found: Tables) -> Iterator[RederivedCell]:
    wanted = summary.best_and_worst
    for label, column, printed in cells:
        if column in (wanted.best, wanted.worst):
            task, library = label.split(" / ")
            library = names.get(library, library)
            table = found[library][wanted.tasks[task]]
            yield _extreme(label, column, names.get(printed, printed), table, column == wanted.worst)


def _extreme(label: str, column: str, claimed: str, table: MetricTable, worst: bool) -> RederivedCell:
    """Who may be called best or worst: all that cannot be distinguished from the one with the best or worst median."""
    level = level_with_worst(table) if worst else [cell.configuration for cell in table.cells if cell.tier == 1]
    by_mean = {cell.configuration: sum(cell.samples) / cell.n for cell in table.cells}
    highest = worst == (table.better == "lower")
    first = (max if highest else min)(sorted(by_mean), key=lambda configuration: by_mean[configuration])
    outcome = "different" if claimed not in level else "same" if len(level) == 1 else "tie"
    pairs = [p for p in table.pairs if {p.better, p.worse} <= set(level)]
    if outcome == "tie" and pairs and all(p.verdict == "equivalent" for p in pairs):
        outcome = "equal"
    return RederivedCell(
        row=label,
        column=column,
        published=claimed,
        ours=sorted(level),
        by_average=first,
        outcome=outcome,
        decided_by=table.title,
        why=words.of_extreme(claimed, level, first, outcome, table, worst),
    )


def _explained(
    cells: list[RederivedCell], summary: Summary, source: Source, found: list[Anomaly]
) -> list[RederivedCell]:
    """The cells, with how those that the averages contradict may have come about: swapped, or a copied block."""
    wanted = summary.best_and_worst
    by_place = {(cell.row, cell.column): cell for cell in cells}
    headings = source.tables[wanted.table].columns
    copied = {
        place: (anomaly, other.partition(": ")[2])
        for anomaly in found
        if anomaly.detector == COPIED
        for place, other in (anomaly.cells, reversed(anomaly.cells))
    }
    result = []
    for cell in cells:
        more = []
        opposite = by_place[cell.row, wanted.best if cell.column == wanted.worst else wanted.worst]
        place = f"{wanted.table}: {cell.row.split(' / ')[0]}, {cell.column}"
        if cell.published != cell.by_average:
            if (cell.published, opposite.published) == (opposite.by_average, cell.by_average):
                more.append(words.SWAPPED)
            if place in copied:
                anomaly, other = copied[place]
                row, _, column = other.rpartition(", ")
                more.append(words.of_copied(f"{row}, {headings.get(column, column)}", anomaly.statement))
        result.append(cell.model_copy(update={"why": " ".join([cell.why, *more])}))
    return result


def level_with_worst(table: MetricTable) -> list[str]:
    """The configuration with the worst median and all that are not supportedly better than it."""
    last = max(table.cells, key=lambda cell: (cell.ratio or 0.0, cell.configuration)).configuration
    better = {pair.better for pair in table.pairs if pair.worse == last and pair.supported}
    return [cell.configuration for cell in table.cells if cell.configuration not in better]


def _options(
    cells: list, summary: Summary, names: dict[str, str], advice: dict[str, Recommendation], found: Tables
) -> Iterator[RederivedCell]:
    for label, column, printed in cells:
        if column in summary.options.columns:
            library = names.get(label, label)
            place = summary.options.columns.index(column)
            yield _option(label, column, place, names.get(printed, printed), advice[library], found[library])


def _option(
    label: str, column: str, place: int, claimed: str, advised: Recommendation, found: dict[str, MetricTable]
) -> RederivedCell:
    tier = {option.configuration: option.tier for option in advised.options}
    ours = advised.options[place].configuration
    level = tier.get(claimed) == advised.options[place].tier
    outcome = "same" if ours == claimed else "tie" if level else "different"
    other = claimed if claimed != ours else _rival(claimed, advised)
    better, worse = sorted((ours, other), key=lambda configuration: advised.scores[configuration])
    decided = _decided(better, worse, advised, found)
    return RederivedCell(
        row=label,
        column=column,
        published=claimed,
        ours=[ours],
        by_average=None,
        outcome=outcome,
        decided_by=decided[0],
        why=words.of_option(claimed, ours, outcome, advised, tier, by_copy(found), decided),
    )


def _following(options: list[RederivedCell], summary: Summary, names: dict[str, str], found: Tables) -> str:
    """How far the printed options follow the time to copy alone."""
    same = sum(
        by_copy(found[names.get(c.row, c.row)])[summary.options.columns.index(c.column)] == c.published for c in options
    )
    return words.of_following("the time to copy", len(options), same)


def by_copy(found: dict[str, MetricTable]) -> list[str]:
    """The configurations by their median time to copy."""
    return [cell.configuration for cell in found["copy_seconds"].cells]


def _rival(configuration: str, advised: Recommendation) -> str:
    """Whose score is nearest, so that a little more or less would change the places."""
    return min(
        (s for s in sorted(advised.scores) if s != configuration),
        key=lambda s: abs(log(advised.scores[s] / advised.scores[configuration])),
    )


def _decided(
    better: str, worse: str, advised: Recommendation, found: dict[str, MetricTable]
) -> tuple[str, str, str, float]:
    """The weighted task that speaks most for the one with the better score, and how many times the other costs in it."""
    costs = {}
    for task in (task for task in advised.tasks if task.counted):
        ratio = {cell.configuration: cell.ratio for cell in found[task.metric].cells}
        costs[task.title] = (task.weight, (ratio[worse] or 1.0) / (ratio[better] or 1.0))
    title = max(costs, key=lambda name: costs[name][0] * log(costs[name][1]))
    return title, better, worse, costs[title][1]
