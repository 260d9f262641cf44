"""Effects of a change, in a study and here: two columns of a published table and a question with a baseline."""

import math
from collections.abc import Iterator
from typing import Any

from spindlemark.analysis.findings.model import Contrast, Contrasts, Group
from spindlemark.analysis.format import number
from spindlemark.analysis.studies.published_cells import label, table_rows
from spindlemark.analysis.studies.source_model import Change, Sized, Source
from spindlemark.core import paths
from spindlemark.site.context import Context
from spindlemark.site.studies import entries, ratios

Page = dict[str, Any]
Row = dict[str, str]  # of a printed table
NEAREST = 1.5  # largest factor between a printed size and ours that still counts as the same size


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """Return one entry per change that a study declares and testbed that answers its question.

    `groups`: those measured here; the entry links to the first one of its family and testbed.
    """
    found = []
    for source in known.values():
        for change in source.today.changes if source.today else ():
            own = [
                c
                for c in context.contrasts
                if (c.family, c.question) == (change.family, change.question)
                and (not change.place or change.place in c.same_parts)
            ]
            for testbed in dict.fromkeys(c.testbed for c in own):
                lent = [g for g in groups if (g.family, g.testbed) == (change.family, testbed)]
                like = {g.group for g in lent if entries.fits(g, change.where)}
                answered = [c for c in own if c.testbed == testbed and (not change.where or c.group in like)]
                tasks = list(_tasks(change, source, answered, lent, context)) if lent else []
                if tasks:
                    found.append(_head(change, source, lent[0], own[0], context) | {"tasks": tasks})
    return found


def row_of(contrasts: Contrasts, row: Contrast, before: Page | None, compared: set[str], context: Context) -> Page:
    """Return a contrast with the study's ratio `before`.

    Its name is that of the configuration if the main question compares it (`compared`), else what both sides share.
    """
    workload = contrasts.workload_title or contrasts.library
    session = context.session(contrasts.session)
    name, rest = (
        (row.configuration, [contrasts.same_title, workload, session])
        if row.configuration in compared
        else (contrasts.same_title, [workload, session])
    )
    now = ratios.of_contrast(row, row.better, row.n)
    medians = [number(value, row.unit, row.kind) for value in (row.baseline_median, row.median) if value is not None]
    return {
        "subject": context.configuration(name)
        if name in context.looks
        else {"name": name, "colour": 1, "shape": "circle"},
        "base": False,
        "then": before,
        "now": now,
        "note": "; ".join([", ".join(filter(None, rest)), " → ".join(medians)]),
        "says": ratios.says(before, now, True),
    }


def answers(own: list[Contrasts], configurations: list[str], metric: str) -> list[tuple[Contrasts, Contrast]]:
    """Return the contrasts of these configurations; a name may have more parts than given, such as 9000--on."""
    return [
        (c, row)
        for c in own
        for row in c.rows
        if row.metric == metric and not _names(c, row).isdisjoint(configurations)
    ]


def _names(contrasts: Contrasts, row: Contrast) -> set[str]:
    """Return the name in a row and, if it has several parts, each beginning of it."""
    parts = contrasts.slug_parts.get(row.configuration, [row.configuration])
    return {"--".join(parts[:end]) for end in range(1, len(parts) + 1)}


def compared(groups: list[Group]) -> set[str]:
    """Return each configuration of the main question."""
    return {name for group in groups for name in group.configurations}


def _head(change: Change, source: Source, group: Group, contrasts: Contrasts, context: Context) -> Page:
    place = "".join(f"-{part}" for part in (change.place, change.address) if part)
    title = f"{contrasts.title} ({change.called})" if change.called else contrasts.title
    return entries.head(
        source,
        group,
        context,
        "changed",
        title,
        f"changed-{change.family}-{change.question}-{change.after}{place}-{group.testbed}",
    )


def _tasks(
    change: Change, source: Source, own: list[Contrasts], groups: list[Group], context: Context
) -> Iterator[Page]:
    """Yield a task for each printed row that was measured here, or one for all sizes, with a row for each place of the question."""
    table = source.tables[change.table]
    printed = [
        row
        for row in table_rows(paths.REFERENCE / source.id, change.table, table)
        if not {row[change.before], row[change.after]} & source.missing.keys()
    ]
    wanted = [(metric, name) for name, metric in change.rows.items()]
    if change.sized and not wanted:
        wanted = [(change.sized.metric, "")]
    note = change.note
    for metric, name in wanted:
        found = [
            (
                c,
                row,
                _nearest_size(change.sized, c, groups, printed)
                if change.sized
                else next((r for r in printed if label(r, table) == name), None),
            )
            for c, row in answers(own, [change.configuration], metric)
        ]
        rows = [
            row_of(c, row, _then(change, then), compared(groups), context) | _printed_size(change.sized, then)
            for c, row, then in found
            if then
        ]
        if rows:
            ratios.draw(rows)
            yield {
                "metric": metric,
                "title": found[0][1].title,
                "base": found[0][0].baseline,
                "why": None,
                "rows": rows,
                "words": ratios.relation(found[0][1], found[0][0].baseline),
                "note": note,
            }
            note = ""


def _nearest_size(sized: Sized, contrasts: Contrasts, groups: list[Group], printed: list[Row]) -> Row | None:
    """Return the printed row of the size nearest to ours, if it is near enough."""
    group = next((g for g in groups if g.group == contrasts.group), None)
    ours = entries.shared_factors(group).get(sized.factor) if group else None
    if not ours:
        return None

    def distance(row: Row) -> float:
        return abs(math.log(float(row[sized.column]) * sized.worth / float(ours)))

    nearest = min(printed, key=distance)
    return nearest if distance(nearest) <= math.log(NEAREST) else None


def _then(change: Change, row: Row) -> Page:
    return ratios.plain(float(row[change.after]) / float(row[change.before]), 1)


def _printed_size(sized: Sized | None, row: Row) -> Page:
    """Return the printed size, which may differ slightly from ours."""
    return {"published": sized.called.format(f"{float(row[sized.column]):,g}")} if sized else {}
