"""Planner tables of network shares: speed of each protocol as a share of the disk's, and the recommendation."""

from typing import Any

from spindlemark.analysis.findings.model import Cell, Contrast, Contrasts, Findings, Group
from spindlemark.analysis.format import number, percent
from spindlemark.site import testbed_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
FAMILY, QUESTION = "network_share", "network"
READ, WRITE, WORK = "seq1m_q8t1_read_bytes_per_second", "seq1m_q8t1_write_bytes_per_second", "read_gb_cpu_seconds"


def shares(findings: Findings, context: Context) -> list[Page]:
    """Return one table per workload and testbed: each protocol compared with the disk itself."""
    groups = {group.group: group for group in findings.groups}
    return [
        _of(contrasts, groups[contrasts.group], context)
        for contrasts in findings.contrasts
        if (contrasts.family, contrasts.question) == (FAMILY, QUESTION) and contrasts.group in groups
    ]


def _of(contrasts: Contrasts, group: Group, context: Context) -> Page:
    """Return the protocols, the fastest reader first."""
    cells = {t.metric: {c.configuration: c for c in t.cells} for t in group.metrics}
    rows = {(row.metric, row.configuration): row for row in contrasts.rows}
    read = sorted(
        (c for c in cells.get(READ, {}).values() if (READ, c.configuration) in rows and c.median),
        key=lambda c: -c.median,
    )
    advice = group.recommendation
    return {
        "title": context.title(group),
        "path": context.groups[group.group],
        **testbed_labels.of_group(group),
        "says": advice.statements[0] if advice else "",
        "protocols": [
            {
                "subject": context.configuration(c.configuration),
                "n": c.n,
                "url": context.experiments.get((c.experiment, c.identity)),
                "low": c.median if c.low is None else c.low,
                "read": number(c.median, "B/s"),
                "read_kept": _share(rows[READ, c.configuration]),
                "write": _text(cells, WRITE, c),
                "write_kept": _share(rows.get((WRITE, c.configuration))),
                "work": _text(cells, WORK, c),
            }
            for c in read
        ],
    }


def _share(row: Contrast | None) -> str:
    """Format the speed as a share of the disk's, which is the inverse ratio of their costs."""
    return percent(row.ratio) if row else percent(None)


def _text(cells: dict[str, dict[str, Cell]], metric: str, cell: Cell) -> str:
    own = cells.get(metric, {}).get(cell.configuration)
    return number(own.median if own else None, "s" if metric == WORK else "B/s")
