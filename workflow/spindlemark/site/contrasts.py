"""Questions with a baseline, one table for all of them: what a setting, a scheduler, a kernel or the cache changes."""

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
    """The questions of a family whose configurations lie in several groups."""
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
    """One entry per question, workload, place and session, in the order of the findings."""
    alike: dict[tuple, list[Contrasts]] = {}
    for c in found:
        alike.setdefault((c.question, c.family, c.testbed, c.library, c.group, c.session), []).append(c)
    pages = [_entry(own, context) for own in alike.values()]
    times = Counter(page["anchor"] for page in pages)
    return [_told_apart(page) if times[page["anchor"]] > 1 else page for page in pages]


def _told_apart(page: Page) -> Page:
    """A question that is asked of several workloads of one group, with the workload in its name."""
    workload = page["workload"]
    return {
        **page,
        "anchor": evidence.anchor(f"{page['anchor']}-{workload}"),
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
    told = [i for i in range(len(columns)) if any(_decided(row["cells"][i]) for row in lines)]
    few = len(lines) <= configuration_labels.MANY and len(columns) <= configuration_labels.MANY
    place = "gains" if first.question == "setting" else first.question
    best = sorted((r for r in rows if r.side in ("gain", "changed")), key=lambda r: (r.metric is not None, -r.ratio))
    names = filter(None, (place, first.group or first.library, first.testbed, first.session))
    return {
        "anchor": evidence.anchor("-".join(names)),
        "family": question_list.title(first.family),
        "question": first.title or question_list.words(first.family, first.question),
        "workload": first.workload_title or first.library,
        "session": first.session,
        "testbed": first.testbed,
        "emulated": first.emulated,
        "mark": testbed_labels.EMULATED if first.emulated else context.marks.get(first.testbed, ""),
        "sides": [{"subject": s, "testbed": bed} for s, bed in first.sides.items()],
        "path": context.groups.get(first.group or ""),
        "statements": _statements(own) or [r.statement for r in best if r.statement][:MOST_STATEMENTS],
        "counts": [{"mark": mark, "count": sum(_mark(r) == mark for r in rows)} for mark in MARKS],
        "columns": columns,
        "blocks": blocks if few else [],
        **({"told": {}, "rest": {}} if few else _folded(columns, blocks, told)),
    }


def _folded(columns: list[Page], blocks: list[Page], told: list[int]) -> Page:
    """What is decided, and the rest: the other columns where it has every row, else all rows with all columns."""
    first = _of_columns(blocks, told)
    rows = sum(len(block["rows"]) for block in blocks)
    whole = sum(len(block["rows"]) for block in first) < rows
    more = [i for i in range(len(columns)) if whole or i not in told]
    title = (
        f"All {count(rows, 'row')}, including inconclusive ones"
        if whole
        else f"{count(len(more), 'more column')}: inconclusive"
    )
    return {
        "told": {"columns": [columns[i] for i in told], "blocks": first},
        "rest": {"title": title, "columns": [columns[i] for i in more], "blocks": _cut(blocks, more)} if more else {},
    }


def _statements(own: list[Contrasts]) -> list[str]:
    """What each says; of those that say it of several workloads or baselines in one table, all of it in one sentence."""
    told = [c.statement for c in own if c.statement]
    title = own[0].title or question_list.words(own[0].family, own[0].question)
    return [table_text.of_contrasts([row for c in own for row in c.rows], title)] if len(told) > 1 else told


def _blocks(own: list[Contrasts], metrics: list[str | None], context: Context) -> list[Page]:
    found: dict[str, list[Page]] = {}
    for c in own:
        cells: dict[str, dict[str | None, Contrast]] = {}
        for row in c.rows:
            cells.setdefault(row.configuration, {})[row.metric] = row
        for subject, mine in cells.items():
            # A kernel or a cache is no configuration: its rows are named by what both sides share, but several of one group by themselves.
            known = subject in context.looks or not c.same_title or len(own) == 1 < len(cells)
            name = subject if known else c.same_title or subject
            title = f"against {c.baseline}" if known else f"{subject} against {c.baseline}"
            found.setdefault(title, []).append(
                {
                    "name": name,
                    "subject": context.subject(name) if name in context.looks else None,
                    "cells": [_cell(mine[m]) if m in mine else None for m in metrics],
                }
            )
    return [{"title": title, "rows": rows} for title, rows in found.items()]


def _of_columns(blocks: list[Page], chosen: list[int]) -> list[Page]:
    """The blocks with the chosen columns, and only the rows in which any of them is decided."""
    cut = [
        {**block, "rows": [row for row in block["rows"] if any(map(_decided, row["cells"]))]}
        for block in _cut(blocks, chosen)
    ]
    return [block for block in cut if block["rows"]]


def _cut(blocks: list[Page], chosen: list[int]) -> list[Page]:
    return [
        {**block, "rows": [{**row, "cells": [row["cells"][i] for i in chosen]} for row in block["rows"]]}
        for block in blocks
    ]


def _decided(cell: Page | None) -> bool:
    return cell is not None and cell["mark"] not in ("", "undecided")


def _mark(row: Contrast) -> str:
    """gain, loss or changed where it is better; else its verdict; "" for what is not adjusted with the question, or too short."""
    return "" if not row.primary else row.side if row.side != "level" else row.verdict or ""


def _cell(row: Contrast) -> Page:
    values = [number(v, row.unit, row.kind) for v in (row.baseline_median, row.median) if v is not None]
    told = evidence.counted(row.ratio, row.low, row.high, row.short, row.verdict is None)
    if 0 in (row.median, row.baseline_median):  # no ratio has nothing on a side
        told = {"ratio": MISSING, "interval": MISSING}
    return {
        **told,
        "mark": _mark(row),
        "need": verdict_labels.need(row.need),
        "values": " → ".join(values) if len(values) == 2 else "",
        "n": f"n {row.baseline_n} and {row.n}" if row.n else "",
    }
