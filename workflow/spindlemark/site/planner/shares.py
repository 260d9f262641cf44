"""The planner's part about network shares: what each protocol keeps of the disk's speed, and which one is advised."""

from typing import Any

from spindlemark.analysis.findings.model import Cell, Contrast, Contrasts, Findings, Group
from spindlemark.analysis.format import number, percent
from spindlemark.site import testbed_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
FAMILY, QUESTION = "network_share", "network"
READ, WRITE, WORK = "seq1m_q8t1_read_bytes_per_second", "seq1m_q8t1_write_bytes_per_second", "read_gb_cpu_seconds"


def shares(findings: Findings, context: Context) -> list[Page]:
    """One table per answer to what the network takes: each protocol beside the disk itself."""
    groups = {group.group: group for group in findings.groups}
    return [
        _of(asked, groups[asked.group], context)
        for asked in findings.contrasts
        if (asked.family, asked.question) == (FAMILY, QUESTION) and asked.group in groups
    ]


def _of(asked: Contrasts, group: Group, context: Context) -> Page:
    """The protocols, what reads fastest first."""
    cells = {t.metric: {c.subject: c for c in t.cells} for t in group.metrics}
    rows = {(row.metric, row.subject): row for row in asked.rows}
    read = sorted(
        (c for c in cells.get(READ, {}).values() if (READ, c.subject) in rows and c.median), key=lambda c: -c.median
    )
    advice = group.recommendation
    return {
        "title": context.title(group),
        "path": context.groups[group.group],
        **testbed_labels.of_group(group),
        "says": advice.statements[0] if advice else "",
        "protocols": [
            {
                "subject": context.subject(c.subject),
                "n": c.n,
                "url": context.experiments.get((c.experiment, c.identity)),
                "low": c.median if c.low is None else c.low,
                "read": number(c.median, "B/s"),
                "read_kept": _kept(rows[READ, c.subject]),
                "write": _text(cells, WRITE, c),
                "write_kept": _kept(rows.get((WRITE, c.subject))),
                "work": _text(cells, WORK, c),
            }
            for c in read
        ],
    }


def _kept(row: Contrast | None) -> str:
    """The share of the disk's own speed; the cost of the disk over that of the share is the same."""
    return percent(row.ratio) if row else percent(None)


def _text(cells: dict[str, dict[str, Cell]], metric: str, cell: Cell) -> str:
    own = cells.get(metric, {}).get(cell.subject)
    return number(own.median if own else None, "s" if metric == WORK else "B/s")
