"""What a change brought then and now: two columns of a published table beside a question with a baseline here."""

from typing import Any

from spindlemark import paths
from spindlemark.findings.report import Contrast, Contrasts, Group
from spindlemark.publish.context import Context
from spindlemark.publish.numbers import number
from spindlemark.publish.studies import entries, ratios
from spindlemark.reference.cells import label, table_rows
from spindlemark.reference.model import Change, Source

Page = dict[str, Any]


def pages(groups: list[Group], known: dict[str, Source], context: Context) -> list[Page]:
    """One entry per change that a study declares and testbed on which its question was answered.

    `groups`: those measured here; the newest one with a subject lends its page.
    """
    found = []
    for source in known.values():
        for change in source.today.changes if source.today else ():
            own = [c for c in context.contrasts if (c.family, c.question) == (change.family, change.question)
                   and (not change.place or change.place in c.same.split("--"))]
            for testbed in dict.fromkeys(c.testbed for c in own):
                lent = [g for g in groups if (g.family, g.testbed) == (change.family, testbed)]
                compared = {subject for g in lent for subject in g.subjects}
                tasks = _tasks(change, source, [c for c in own if c.testbed == testbed], compared, context)
                if lent and tasks:
                    found.append(_head(change, source, lent[0], own[0], context) | {"tasks": tasks})
    return found


def _head(change: Change, source: Source, group: Group, asked: Contrasts, context: Context) -> Page:
    place = change.place and f"-{change.place}"
    return entries.head(source, group, context, "changed", asked.title,
                        f"changed-{change.family}-{change.question}-{change.after}{place}-{group.testbed}")


def _tasks(change: Change, source: Source, own: list[Contrasts], compared: set[str], context: Context) -> list[Page]:
    """One per printed row that was measured here: a line for each place of the question, beside the same published ratio."""
    table = source.tables[change.table]
    printed = {label(row, table): row for row in table_rows(paths.REFERENCE / source.id, change.table, table)}
    tasks = []
    for name, metric in change.rows.items():
        then = float(printed[name][change.after]) / float(printed[name][change.before])
        answers = [(c, row) for c in own for row in c.rows
                   if (c.slugs.get(row.subject, row.subject), row.metric) == (change.subject, metric)]
        rows = [_row(c, row, then, compared, context) for c, row in answers]
        if rows:
            ratios.draw(rows)
            tasks.append({"metric": metric, "title": answers[0][1].title, "base": answers[0][0].baseline, "why": None,
                          "rows": rows, "words": "times", "note": change.note if not tasks else ""})
    return tasks


def _row(asked: Contrasts, row: Contrast, then: float, compared: set[str], context: Context) -> Page:
    """The row is called by what changed, where the main question compares that (`compared`), or else by what both sides
    share beside the workload.
    """
    workload = asked.workload_title or asked.library
    name, rest = (row.subject, [asked.shared, workload]) if row.subject in compared else (asked.shared, [workload])
    before, now = ratios.plain(then, 1), ratios.of_contrast(row, row.better, row.n)
    medians = [number(value, row.unit, row.metric or "") for value in (row.baseline_median, row.median) if value is not None]
    return {"subject": context.subject(name) if name in context.looks else _plain(name), "base": False, "then": before,
            "now": now, "note": "; ".join([", ".join(filter(None, rest)), " → ".join(medians)]), "says": ratios.says(before, now, True)}


def _plain(name: str) -> Page:
    return {"name": name, "colour": 1, "shape": "circle"}
