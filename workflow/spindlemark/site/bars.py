"""Numbers that answer a question by themselves, as bars on the home page: how many streams, viewers, what a share reads."""

from collections.abc import Sequence
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Group, MetricTable
from spindlemark.analysis.format import interval, number
from spindlemark.site import testbed_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
MOST = 6  # bars


def build(groups: Sequence[Group], context: Context) -> Page | None:
    """The bars of one family, of the group with its most typical workload; None without the metric that it draws."""
    metric = question_list.bars(groups[0].family) if groups else None
    found = [(group, table) for group in groups for table in group.metrics if table.metric == metric and table.cells]
    if not found:
        return None
    group, table = min(found, key=lambda pair: question_list.typicality(pair[0].family, pair[0].library))
    rows = _rows(group, table, context)
    return (
        {
            "title": question_list.task_title(group.family, table.metric) or table.title,
            "path": context.groups[group.group],
            "testbed": testbed_labels.of_group(group),
            "description": context.workload(group),
            "rows": rows,
        }
        if len(rows) > 1
        else None
    )


def _rows(group: Group, table: MetricTable, context: Context) -> list[Page]:
    names = group.candidates or group.configurations
    cells = [cell for cell in table.cells if cell.configuration in names]
    cells.sort(key=lambda cell: cell.median, reverse=table.better != "lower")
    most = max((cell.median for cell in cells), default=0)
    return [
        {
            "subject": context.configuration(cell.configuration),
            "share": cell.median / most if most else 0.0,
            "text": number(cell.median, table.unit, table.kind),
            "interval": interval(cell.low, cell.high, cell.median, table.unit, table.kind),
        }
        for cell in cells[:MOST]
    ]
