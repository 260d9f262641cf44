"""Groups and records of live video, as the pages get them."""

import raw_records
from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable
from spindlemark.site.charts.chart_model import ChartData

STREAMS = ("speedhq-tcp", "vmx-omt")


def group(task, receivers, *values, conditions=None):
    """A group with the same metric for both streams; identities tell which one it is."""
    cells = [
        Cell(
            configuration=s,
            experiment=s,
            identity=f"{s}-{task}-{receivers}",
            n=3,
            samples=[v] * 3,
            noisy=[False] * 3,
            median=v,
            low=0.9 * v,
            high=1.1 * v,
            stable=True,
        )
        for s, v in zip(STREAMS, values, strict=True)
    ]
    metric = {"play": "frame_latency_median_seconds", "receivers": "receivers_sustained_count"}.get(
        task, "squeezed_half_lost_ratio"
    )
    table = MetricTable(
        metric=metric,
        title="Latency",
        unit="s",
        better="lower",
        ranked=True,
        why_unranked=None,
        cells=cells,
        pairs=[],
        statement="",
    )
    return Group(
        group=f"link--live_video--{task}-{receivers}",
        testbed="link",
        family="live_video",
        library=f"{task}-{receivers}",
        library_factors={},
        conditions={"delay": "none", "receivers": receivers} | (conditions or {}),
        configurations=list(STREAMS),
        metrics=[table],
        absent=[],
        notes=[],
        recommendation=None,
    )


def seen(folder, *groups, records=None):
    factors = {}
    for each in groups:
        task, receivers = each.library.split("-")
        for cell in each.metrics[0].cells:
            told = {"task": task, "receivers": receivers, "format.name": "720p30", "content": "natural"}
            factors[cell.experiment, cell.identity] = [{"name": n, "value": v} for n, v in told.items()]
    findings = Findings(
        confidence=0.95,
        practical_threshold=0.05,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=list(groups),
    )
    return ChartData(findings, records or {}, factors, raw_records.below(folder))


def record(folder, repetition, attachments):
    """Write a repetition's record, and return its row."""
    row = {"testbed": "link", "family": "live_video", "experiment": "vmx-omt", "identity": "a"}
    row |= {"repetition": repetition, "status": "ok"}
    return raw_records.keep(folder, row, attachments)
