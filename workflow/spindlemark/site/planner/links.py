"""Planner tables of links: the bandwidth of several live streams, scaled from one."""

from typing import Any

from spindlemark.analysis.findings.model import Findings, Group, MetricTable
from spindlemark.analysis.format import number
from spindlemark.site import testbed_labels
from spindlemark.site.context import Context

Page = dict[str, Any]
FAMILY = "live_video"
METRICS = (
    "stream_bits_per_second",
    "link_needed_bits_per_second",
    "stream_bytes_per_second",
    "link_needed_bytes_per_second",
)
IN_TIME = "frames_in_time_ratio"
COUNTS = (1, 4, 16)  # concurrent streams


def links(findings: Findings, context: Context) -> list[Page]:
    """Return one table per workload for which the rate of a stream, or the link that it needs, was measured."""
    found = []
    for group in (group for group in findings.groups if group.family == FAMILY):
        for metric in METRICS:
            table = group.table(metric)
            if table and table.cells:
                found.append(_of_group(group, table, context))
    return found


def _of_group(group: Group, table: MetricTable, context: Context) -> Page:
    """Return each stream with the bandwidth of several of them, the lowest first."""
    shown = {c.configuration: number(c.median, "1", "ratio") for c in group.cells(IN_TIME)}
    cells = sorted(table.cells, key=lambda c: c.median)
    return {
        "title": context.title(group),
        "path": context.groups[group.group],
        "what": table.title,
        **testbed_labels.of_group(group),
        "counts": list(COUNTS),
        "streams": [
            {
                "subject": context.configuration(c.configuration),
                "n": c.n,
                "in_time": shown.get(c.configuration, ""),
                "url": context.experiments.get((c.experiment, c.identity)),
                "texts": [number(c.median * count * (8 if table.unit == "B/s" else 1), "bit/s") for count in COUNTS],
            }
            for c in cells
        ],
    }
