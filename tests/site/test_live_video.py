"""Pictures of live video: over the number of receivers from neighbouring groups, and the staircase from what records kept."""

from dataclasses import replace

import pytest

import raw_records
from live_video_groups import group, record, seen
from spindlemark.analysis.findings.model import Findings
from spindlemark.site.charts import registry as charts
from spindlemark.site.charts.chart_model import ChartData


def test_latency_is_drawn_over_the_receivers_of_the_same_workload(tmp_path):
    one, four = group("play", 1, 0.02, 0.01), group("play", 4, 0.08, 0.03)
    elsewhere = group("play", 8, 0.5, 0.5, conditions={"delay": "10-ms"})
    (found,) = charts.of_group(one, seen(tmp_path, four, one, elsewhere, group("squeeze", 1, 0.5, 0.5)))
    assert (found.name, found.title) == ("latency", "Latency by number of receivers") and found.name in charts.first(
        "live_video"
    )
    assert [(p.name, p.x, p.y) for p in found.points] == [
        ("speedhq-tcp", 1, 0.02),
        ("vmx-omt", 1, 0.01),
        ("speedhq-tcp", 4, 0.08),
        ("vmx-omt", 4, 0.03),
    ]


def test_a_curve_goes_on_with_what_a_search_tried_and_leaves_out_who_has_one_point(tmp_path):
    one, search, rows = group("play", 1, 0.13, 0.01), group("receivers", 1, 2, 2), []
    for n, late in enumerate((0.02, 0.03, 0.04)):
        watched = [{"due": 10, "lost": 1, "late": n, "latency_seconds": late}] * 2
        rows.append(record(tmp_path, n, {"trials": [{"receivers": 2, "watched": watched}]}))
    told = seen(tmp_path, one, search, records={("vmx-omt", "vmx-omt-receivers-1"): rows})
    for group_of in (one, search):
        (latency,) = (p for p in charts.of_group(group_of, told) if p.name == "latency")
        assert [(p.name, p.x, p.y, p.low, p.high) for p in latency.points] == [
            ("vmx-omt", 1, 0.01, 0.9 * 0.01, 1.1 * 0.01),
            ("vmx-omt", 2, 0.03, 0.02, 0.04),
        ]
    assert latency.x.whole


def test_one_number_of_receivers_is_no_curve(tmp_path):
    one = group("play", 1, 0.02, 0.01)
    assert charts.of_group(one, seen(tmp_path, one)) == []


def test_what_a_path_does_to_streams_is_a_matrix_by_congestion_control_and_loss(tmp_path):
    groups, factors = [], {}
    for congestion, loss, in_time in (("cubic", "none", 1.0), ("cubic", "1-percent", 0.067), ("bbr", "1-percent", 0.8)):
        made = group("play", 1, 0.05, 0.05, conditions={"loss": loss, "congestion": congestion})
        late = made.metrics[0].model_copy(
            update={"cells": [replace(c, identity=f"{c.identity}-{congestion}-{loss}") for c in made.metrics[0].cells]}
        )
        shown = late.model_copy(
            update={"metric": "frames_in_time_ratio", "cells": [replace(c, median=in_time) for c in late.cells]}
        )
        groups.append(made.model_copy(update={"metrics": [late, shown]}))
        told = {"task": "play", "receivers": "1", "delay": "10-ms", "loss": loss, "congestion": congestion}
        for c in late.cells:
            told["stream.transport"] = "srt" if c.configuration == "vmx-omt" else "tcp"
            factors[c.experiment, c.identity] = [{"name": n, "value": v} for n, v in told.items()]
    findings = Findings(
        confidence=0.95, practical_threshold=0.05, shortest_rankable_seconds=0.2, relative_width=0.2, groups=groups
    )
    (matrix,) = charts.of_group(groups[0], ChartData(findings, {}, factors, raw_records.below(tmp_path)))
    assert list(matrix.columns) == ["10 ms each way, no loss", "10 ms each way, 1 % lost"]
    assert [(name, [mark.state for mark in marks]) for name, marks in matrix.rows] == [
        ("speedhq-tcp, bbr", ["none", "partly"]),
        ("speedhq-tcp, cubic", ["good", "bad"]),
        ("vmx-omt", ["good", "partly"]),
    ]
    assert matrix.rows[1][1][1].word == "7 %, 50.0 ms"


@pytest.mark.parametrize(
    ("kept", "names"),
    [
        (("lost_ratio", "late_ratio"), ["staircase-lost", "staircase-late"]),
        (("shown_in_time_ratio",), ["staircase-in-time"]),
    ],
)
def test_the_staircase_is_the_median_of_what_records_kept_lost_and_late_apart(tmp_path, kept, names):
    squeezed, rows = group("squeeze", 1, 0.5, 0.4), []
    for n, half in enumerate((0.4, 0.5, 0.9)):
        steps = [{"share": 1.5} | dict.fromkeys(kept, 1.0), {"share": 0.5} | dict.fromkeys(kept, half)]
        rows.append(record(tmp_path, n, {"staircase": {"steps": steps}}))
    found = charts.of_group(squeezed, seen(tmp_path, squeezed, records={("vmx-omt", "vmx-omt-squeeze-1"): rows}))
    assert [each.name for each in found] == names and not {*names} & {*charts.first("live_video")}
    for each in found:
        assert [(p.name, p.x, p.y, p.low, p.high) for p in each.points] == [
            ("vmx-omt", 0.5, 0.5, 0.4, 0.9),
            ("vmx-omt", 1.5, 1.0, 1.0, 1.0),
        ]
