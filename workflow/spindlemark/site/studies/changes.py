"""What a change brought then and now: two columns of a published table beside a question with a baseline here."""

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
Row = dict[str, str]  # a printed one
NEAREST = 1.5  # a printed size this many times smaller or larger than ours is no row of about our size


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """One entry per change that a study declares and testbed on which its question was answered.

    `groups`: those measured here; the newest one with a configuration lends its page.
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
                asked = [c for c in own if c.testbed == testbed and (not change.where or c.group in like)]
                tasks = list(_tasks(change, source, asked, lent, context)) if lent else []
                if tasks:
                    found.append(_head(change, source, lent[0], own[0], context) | {"tasks": tasks})
    return found


def row_of(asked: Contrasts, row: Contrast, before: Page | None, compared: set[str], context: Context) -> Page:
    """A contrast beside what a study says. It is called by what changed, where the main question compares that (`compared`), or else
    by what both sides share beside the workload.
    """
    workload = asked.workload_title or asked.library
    session = f"session {asked.session}" if asked.session else ""
    name, rest = (
        (row.configuration, [asked.same_title, workload, session])
        if row.configuration in compared
        else (asked.same_title, [workload, session])
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


def answers(own: list[Contrasts], subjects: list[str], metric: str) -> list[tuple[Contrasts, Contrast]]:
    """What was found of these configurations: the name of one may go on with what its baseline leaves unsaid, as 9000--on."""
    return [(c, row) for c in own for row in c.rows if row.metric == metric and not _names(c, row).isdisjoint(subjects)]


def _names(asked: Contrasts, row: Contrast) -> set[str]:
    """The name in a row and, of one with several parts, what it begins with."""
    parts = asked.slug_parts.get(row.configuration, [row.configuration])
    return {"--".join(parts[:end]) for end in range(1, len(parts) + 1)}


def compared(groups: list[Group]) -> set[str]:
    """Every configuration of the main question."""
    return {subject for group in groups for subject in group.configurations}


def _head(change: Change, source: Source, group: Group, asked: Contrasts, context: Context) -> Page:
    place = "".join(f"-{part}" for part in (change.place, change.address) if part)
    title = f"{asked.title} ({change.called})" if change.called else asked.title
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
    """One per printed row that was measured here, or for all sizes of one thing: a line for each place of the question."""
    table = source.tables[change.table]
    printed = [
        row
        for row in table_rows(paths.REFERENCE / source.id, change.table, table)
        if not {row[change.before], row[change.after]} & source.missing.keys()
    ]
    asked = [(metric, name) for name, metric in change.rows.items()]
    if change.sized and not asked:
        asked = [(change.sized.metric, "")]
    note = change.note
    for metric, name in asked:
        found = [
            (
                c,
                row,
                _beside(change.sized, c, groups, printed)
                if change.sized
                else next((r for r in printed if label(r, table) == name), None),
            )
            for c, row in answers(own, [change.configuration], metric)
        ]
        rows = [
            row_of(c, row, _then(change, then), compared(groups), context) | _called(change.sized, then)
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
                "words": ratios.unit_words(found[0][1]),
                "note": note,
            }
            note = ""


def _beside(sized: Sized, asked: Contrasts, groups: list[Group], printed: list[Row]) -> Row | None:
    """The printed row of the size that is nearest to what was measured, if any is near."""
    group = next((g for g in groups if g.group == asked.group), None)
    ours = entries.told(group).get(sized.factor) if group else None
    if not ours:
        return None

    def away(row: Row) -> float:
        return abs(math.log(float(row[sized.column]) * sized.worth / float(ours)))

    nearest = min(printed, key=away)
    return nearest if away(nearest) <= math.log(NEAREST) else None


def _then(change: Change, row: Row) -> Page:
    return ratios.plain(float(row[change.after]) / float(row[change.before]), 1)


def _called(sized: Sized | None, row: Row) -> Page:
    """The size that was printed, since it may be a bit more or less than ours."""
    return {"published": sized.called.format(f"{float(row[sized.column]):,g}")} if sized else {}
