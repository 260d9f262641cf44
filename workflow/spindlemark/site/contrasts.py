"""Questions with a baseline, in tables: effects of settings, schedulers, kernels or the cache."""

from collections import Counter
from typing import Any

from spindlemark.analysis.findings import question_list, table_text
from spindlemark.analysis.findings.model import Contrast, Contrasts, Findings, Group
from spindlemark.analysis.format import MISSING, count, number
from spindlemark.site import configuration_labels, evidence, testbed_labels, verdict_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
MARKS = ("gain", "loss", "changed", "equivalent", "undecided")
MOST_STATEMENTS = 4


def of_group(group: Group, context: Context) -> list[Page]:
    """The questions that are answered from the tables of a group."""
    return entries([c for c in context.contrasted.get(group.group, []) if c.question != question_list.KERNEL], context)


def of_family(family: str, context: Context) -> list[Page]:
    """The questions of a family that compare configurations of several groups."""
    return entries(
        [
            c
            for c in context.contrasts
            if c.family == family and c.group not in context.groups and c.question != question_list.KERNEL
        ],
        context,
    )


def kernels(findings: Findings, context: Context) -> Page:
    """The page of kernels: the same experiments on the same machine under several kernels; empty without any."""
    found = [c for c in findings.contrasts if c.question == question_list.KERNEL]
    shown = entries(found, context)
    total = Counter(_mark(row) for c in found for row in c.rows)
    names = dict.fromkeys(name for c in found for name in [c.baseline, *(row.configuration for row in c.rows)])
    return {
        "entries": shown,
        "kernels": list(names),
        "emulated": any(c.emulated for c in found),
        "counts": [{"mark": mark, "count": total[mark]} for mark in MARKS],
    }


def entries(found: list[Contrasts], context: Context) -> list[Page]:
    """One entry per question, workload, testbed and session, in the order of the findings."""
    tables: dict[tuple, list[Contrasts]] = {}
    for c in found:
        tables.setdefault((c.question, c.family, c.testbed, c.library, c.group, c.session), []).append(c)
    pages = [_entry(own, context) for own in tables.values()]
    times = Counter(page["anchor"] for page in pages)
    return [_with_workload(page) if times[page["anchor"]] > 1 else page for page in pages]


def _with_workload(page: Page) -> Page:
    """The entry with the workload in its name, for a question about several workloads of one group."""
    workload = page["workload"]
    return {
        **page,
        "anchor": evidence.fragment(f"{page['anchor']}-{workload}"),
        "question": f"{page['question']} {workload}",
    }


def _entry(own: list[Contrasts], context: Context) -> Page:
    """One table: the configurations in blocks by their baseline, the weighted cost and the metrics as columns."""
    first = own[0]
    rows = [row for c in own for row in c.rows]
    metrics = list(dict.fromkeys((r.metric, r.title) for r in sorted(rows, key=lambda r: r.metric is not None)))
    blocks = _blocks(own, [metric for metric, _ in metrics], context)
    columns = [{"title": title, "anchor": metric and evidence.shown_at(metric)} for metric, title in metrics]
    lines = [row for block in blocks for row in block["rows"]]
    conclusive = [i for i in range(len(columns)) if any(_conclusive(row["cells"][i]) for row in lines)]
    few = len(lines) <= configuration_labels.MANY and len(columns) <= configuration_labels.MANY
    place = "gains" if first.question == "setting" else first.question
    best = sorted((r for r in rows if r.side in ("gain", "changed")), key=lambda r: (r.metric is not None, -r.ratio))
    names = filter(None, (place, first.group or first.library, first.testbed, first.session))
    return {
        "anchor": evidence.fragment("-".join(names)),
        "family": question_list.title(first.family),
        "question": first.title or question_list.words(first.family, first.question),
        "workload": first.workload_title or first.library,
        "session": context.session(first.session),
        "testbed": first.testbed,
        "emulated": first.emulated,
        "mark": testbed_labels.EMULATED if first.emulated else context.marks.get(first.testbed, ""),
        "sides": [{"subject": s, "testbed": bed} for s, bed in first.sides.items()],
        "path": context.groups.get(first.group or ""),
        "statements": _statements(own) or [r.statement for r in best if r.statement][:MOST_STATEMENTS],
        "counts": [{"mark": mark, "count": sum(_mark(r) == mark for r in rows)} for mark in MARKS],
        "columns": columns,
        "blocks": blocks if few else [],
        **({"told": {}, "rest": {}} if few else _folded(columns, blocks, conclusive)),
    }


def _folded(columns: list[Page], blocks: list[Page], conclusive: list[int]) -> Page:
    """Conclusive rows and columns, and a rest: the other columns if no row was left out, else everything."""
    first = _of_columns(blocks, conclusive)
    rows = sum(len(block["rows"]) for block in blocks)
    whole = sum(len(block["rows"]) for block in first) < rows
    more = [i for i in range(len(columns)) if whole or i not in conclusive]
    title = (
        f"All {count(rows, 'row')}, including inconclusive ones"
        if whole
        else f"{count(len(more), 'more metric')}: inconclusive"
    )
    return {
        "told": {"columns": [columns[i] for i in conclusive], "blocks": first},
        "rest": {"title": title, "columns": [columns[i] for i in more], "blocks": _cut(blocks, more)} if more else {},
    }


def _statements(own: list[Contrasts]) -> list[str]:
    """The statement of each; one sentence for all of them if a table has several workloads or baselines."""
    statements = [c.statement for c in own if c.statement]
    title = own[0].title or question_list.words(own[0].family, own[0].question)
    return [table_text.of_contrasts([row for c in own for row in c.rows], title)] if len(statements) > 1 else statements


def _blocks(own: list[Contrasts], metrics: list[str | None], context: Context) -> list[Page]:
    found: dict[str, list[Page]] = {}
    for c in own:
        cells: dict[str, dict[str | None, Contrast]] = {}
        for row in c.rows:
            cells.setdefault(row.configuration, {})[row.metric] = row
        for own_name, mine in cells.items():
            # Rows of kernels or caches are named after what both sides share, unless one group has several of them.
            known = own_name in context.looks or not c.same_title or len(own) == 1 < len(cells)
            name = own_name if known else c.same_title or own_name
            title = f"compared with {c.baseline}" if known else f"{own_name} compared with {c.baseline}"
            found.setdefault(title, []).append(
                {
                    "name": name,
                    "subject": context.configuration(name) if name in context.looks else None,
                    "cells": [_cell(mine[m]) if m in mine else None for m in metrics],
                }
            )
    return [{"title": title, "rows": rows} for title, rows in found.items()]


def _of_columns(blocks: list[Page], chosen: list[int]) -> list[Page]:
    """The blocks with the chosen columns and the rows that are conclusive in any of them."""
    cut = [
        {**block, "rows": [row for row in block["rows"] if any(map(_conclusive, row["cells"]))]}
        for block in _cut(blocks, chosen)
    ]
    return [block for block in cut if block["rows"]]


def _cut(blocks: list[Page], chosen: list[int]) -> list[Page]:
    return [
        {**block, "rows": [{**row, "cells": [row["cells"][i] for i in chosen]} for row in block["rows"]]}
        for block in blocks
    ]


def _conclusive(cell: Page | None) -> bool:
    return cell is not None and cell["mark"] not in ("", "undecided")


def _mark(row: Contrast) -> str:
    """gain, loss or changed for a better one, else the verdict; "" if not adjusted with the question, or too short."""
    return "" if not row.primary else row.side if row.side != "level" else row.verdict or ""


def _cell(row: Contrast) -> Page:
    values = [number(v, row.unit, row.kind) for v in (row.baseline_median, row.median) if v is not None]
    shown = evidence.counted(row.ratio, row.low, row.high, row.short, row.verdict is None)
    if 0 in (row.median, row.baseline_median):  # a ratio to zero is meaningless
        shown = {"ratio": MISSING, "interval": MISSING}
    return {
        **shown,
        "mark": _mark(row),
        "need": verdict_labels.need(row.need),
        "values": " → ".join(values) if len(values) == 2 else "",
        "n": f"n {row.baseline_n} and {row.n}" if row.n else "",
    }
