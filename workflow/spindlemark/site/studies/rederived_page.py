"""The page of conclusions derived again: a study's summary tables compared with our statistics of the same samples, and with
new measurements of the study's filesystems.
"""

from collections import Counter
from typing import Any

from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.analysis.format import ratio
from spindlemark.analysis.studies.published_model import Outcome, Published, Rederived
from spindlemark.analysis.studies.source_model import Source
from spindlemark.analysis.studies.summary_model import Summary
from spindlemark.analysis.studies.summary_model import read as read_summary
from spindlemark.core import paths
from spindlemark.site import address, testbed_labels
from spindlemark.site.context import Context
from spindlemark.site.studies import locations

Page = dict[str, Any]
OUTCOMES: dict[Outcome, str] = {"different": "different", "tie": "inconclusive", "equal": "equal", "same": "same"}


def page(published: Published, studies: dict[str, Source], findings: Findings, context: Context) -> list[Page]:
    """Return one entry per summary table, with its cells in printed order."""
    found = []
    for table in published.rederived:
        source, summary = studies[table.source], read_summary(paths.REFERENCE / table.source)
        assert summary, "only tables in summary.yaml are derived again"
        study = next(s for s in published.studies if s.source == table.source)
        configurations = {
            g.library: {c for c in g.configurations if context.configurations.is_default(c)}
            for g in study.groups
            if g.conditions.get("series") == "main" and g.family == address.FIRST
        }
        found.append(_table(table, source, summary, _measured_again(findings, configurations), context))
    return found


def _measured_again(findings: Findings, configurations: dict[str, set[str]]) -> dict[str, tuple[Group, set[str]]]:
    """Return library -> the group with all filesystems of the study, on the first testbed with one, and their names.

    Those that are legacy now are measured and no candidates.
    """
    beds = testbed_labels.order(findings)
    found: dict[str, tuple[Group, set[str]]] = {}
    for g in sorted(findings.groups, key=lambda g: beds.index(g.testbed)):
        wanted = configurations.get(g.library) if g.family == address.FIRST else None
        if wanted and g.recommendation and wanted <= _measured(g):
            found.setdefault(g.library, (g, wanted))
    return found


def _measured(group: Group) -> set[str]:
    return {cell.configuration for table in group.metrics for cell in table.cells}


def _table(
    found: Rederived, source: Source, summary: Summary, again: dict[str, tuple[Group, set[str]]], context: Context
) -> Page:
    headings = source.tables[found.table].columns
    count = Counter(cell.outcome for cell in found.cells)
    options = found.table == summary.options.table
    names = source.labels | summary.names
    cells = []
    for cell in found.cells:
        first, _, task = cell.row.partition(" / ")
        library = names.get(task or first, task or first)
        every = next(iter(again.values()), None) if library == summary.for_every_library else None
        group, wanted = again.get(library) or every or (None, set())
        place = summary.options.columns.index(cell.column) if options else cell.column == summary.best_and_worst.worst
        metric = None if options else summary.best_and_worst.tasks[first]
        cells.append(
            {
                **cell.model_dump(),
                "heading": headings.get(cell.column, cell.column),
                "row": cell.row.replace(" / ---", "").replace(" / ", ": "),
                "title": OUTCOMES[cell.outcome],
                "ours": ", ".join(cell.ours),
                "now": _now(group, wanted, metric, place) if group else None,
                "now_path": context.groups[group.group] if group else None,
            }
        )
    testbeds = [testbed_labels.of_group(g) for g, _ in again.values()]
    return {
        "source": source.id,
        "study": source.title,
        "path": locations.study(source.id),
        "number": found.number,
        "title": found.title,
        "anchor": locations.fragment(found.table),
        "url": f"{locations.tables(source.id)}#{locations.fragment(found.table)}",
        "statement": found.statement,
        "counts": [{"outcome": o, "title": t, "count": count[o]} for o, t in OUTCOMES.items()],
        "cells": cells,
        "anew": testbeds[0] if any(c["now"] for c in cells) else None,
    }


def _now(group: Group, wanted: set[str], metric: str | None, place: int) -> str | None:
    """Derive the cell from our samples: the n-th option among the study's candidates, or the best or worst of a task."""
    if metric is None:
        scores = {s: score for s, score in sorted(group.advice.scores.items()) if s in wanted}
        order = sorted(scores, key=lambda s: scores[s])
        return f"{order[place]}, {ratio(scores[order[place]])}" if place < len(order) else "no other candidate"
    table = group.table(metric)
    cells = [c for c in table.cells if c.configuration in wanted] if table else []
    if not cells:
        return None
    ranked = [c for c in cells if c.tier]
    if not ranked:
        return "not ranked"
    end = ranked[-1 if place else 0]
    return ", ".join(sorted(c.configuration for c in ranked if c.tier == end.tier))
