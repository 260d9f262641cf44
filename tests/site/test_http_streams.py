"""What the site makes of viewers: pictures, the configuration to copy, the planner's links, shares then and now."""

import json
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import pytest

from spindlemark import config
from spindlemark.analysis.findings import recipe
from spindlemark.analysis.findings.model import Cell, Findings, Group, MetricTable
from spindlemark.analysis.studies.published_cells import read
from spindlemark.core import paths
from spindlemark.site.charts import http_streams as drawn
from spindlemark.site.context import Context
from spindlemark.site.planner import devices, media
from spindlemark.site.studies import served_streams

SERVER = "nginx+threads"
RATE = 3_125_000.0


def group(name, viewers, conditions=(), more=()):
    tables = []
    for metric, value in {drawn.CLIENTS: viewers, **dict(more)}.items():
        cell = Cell(
            configuration=SERVER,
            experiment=name,
            identity=name,
            n=3,
            samples=[value] * 3,
            noisy=[False] * 3,
            median=value,
            low=value - 1,
            high=value + 1,
            stable=True,
        )
        tables.append(
            MetricTable(
                metric=metric,
                title=metric,
                unit="1",
                better="higher",
                ranked=True,
                why_unranked=None,
                cells=[cell],
                pairs=[],
                statement="",
            )
        )
    return Group(
        group=name,
        testbed="link-ram",
        family="http_streams",
        library="25-mbit",
        library_factors={"bytes_per_second": RATE},
        conditions=dict(conditions),
        configurations=[SERVER],
        metrics=tables,
        absent=[],
        notes=[],
        recommendation=None,
    )


def context(*groups):
    found = Findings(
        confidence=0.95,
        practical_threshold=0.1,
        shortest_rankable_seconds=0.2,
        relative_width=0.2,
        groups=list(groups),
        contrasts=[],
    )
    return Context({SERVER: {"colour": 1, "shape": "circle"}}, {}, {}, {}, found), found


def seen(factors, groups, trials=()):
    return SimpleNamespace(
        factors=lambda cell: factors[cell.identity],
        same_question=lambda _: list(groups),
        attachments=lambda cell: [{"trials": list(trials)}],
    )


def test_viewers_are_drawn_over_readahead_where_nothing_else_differs():
    groups = [group("a", 4), group("b", 30), group("c", 9)]
    factors = {
        "a": {"readahead": "128", "device.name": "disk"},
        "b": {"readahead": "1024", "device.name": "disk"},
        "c": {"readahead": "512", "device.name": "iVDR"},
        "d": {"readahead": "1024", "device.name": "disk", "server.name": "x"},
    }
    groups[1].metrics[0].cells.append(replace(groups[1].metrics[0].cells[0], configuration="x", identity="d"))
    trials, first = drawn.charts(groups[1], seen(factors, groups))
    assert sorted((p.name, p.x, p.y, p.low) for p in first.points) == [
        (SERVER, 128, 4, 3),
        (SERVER, 1024, 30, 29),
        ("x", 1024, 30, 29),
    ]
    assert trials.points == []
    factors["a"]["readahead"] = "kernel"
    assert [c.name for c in drawn.charts(groups[1], seen(factors, groups))] == ["goodput-viewers"], (
        "one place is no curve"
    )


def test_viewers_are_drawn_over_the_rate_in_bits():
    groups = [group("a", 30), group("b", 7)]
    factors = {
        name: {"readahead": "1024", "rate.name": name, drawn.RATE: str(rate), "viewers.film_bytes": str(rate)}
        for name, rate in (("a", 3_125_000.0), ("b", 12_500_000.0))
    }
    found = {c.name: c for c in drawn.charts(groups[0], seen(factors, groups))}
    assert [(p.x, p.y) for p in found["viewers-rate"].points] == [(25e6, 30), (100e6, 7)]


def test_each_number_that_was_tried_is_a_point_with_the_range_of_its_repetitions():
    trials = [{"viewers": 9, "goodput_bytes_per_second": value} for value in (5, 7, 6)]
    [curves] = drawn.charts(group("a", 9), seen({"a": {drawn.RATE: "3125000.0"}}, [], trials))
    assert [(p.x, p.y, p.low, p.high) for p in curves.points] == [(9, 6, 5, 7)]
    assert [(p.x, p.y) for p in curves.published] == [(1, 3_125_000), (9, 28_125_000)], "the line of what they need"


def test_the_load_is_drawn_over_clients_and_over_time():
    rows = {"server_cpu_share": 0.14, "server_resident_bytes": 2e7, "page_cache_bytes": 1e8}
    rows |= {"device_bytes_per_second": 3.2e6, "network_bytes_per_second": 3.3e6}
    ends = {"startup_median_seconds": 0.1, "startup_p99_seconds": 0.2, "lowest_fill_seconds": -0.4}
    trials = [{"viewers": n, "goodput_bytes_per_second": n * RATE, **rows, **ends} for n in (1, 2, 3)]
    ramp = [{"seconds": float(n), "viewers": n, **rows} for n in (1, 2)]
    data = seen({"a": {drawn.RATE: str(RATE)}}, [])
    data.attachments = lambda cell: [{"trials": trials, "ramp": ramp}, {"trials": trials, "ramp": ramp[:1]}]
    found = {c.name: c for c in drawn.charts(group("a", 3), data)}
    assert [(p.x, round(p.y, 9)) for p in found["load-server-cpu-share"].points] == [(1, 14), (2, 14), (3, 14)]
    assert found["load-network-bytes-per-second"].points[0].y == 8 * 3.3e6
    assert found["load-lowest-fill-seconds"].points[0].y == -0.4 and found["load-startup-p99-seconds"].y.unit == "s"
    assert [(p.x, p.y) for p in found["ramp-viewers"].points] == [(1, 1), (2, 2)], "of the first repetition"
    assert [p.y for p in found["ramp-device-bytes-per-second"].points] == [3.2e6] * 2
    old = [{"viewers": n, "goodput_bytes_per_second": 1} for n in (1, 2, 3)]
    data.attachments = lambda cell: [{"trials": old}]
    assert [c.name for c in drawn.charts(group("a", 3), data)] == ["goodput-viewers"], (
        "records of method 2 have no load"
    )


def test_the_recipe_is_the_whole_configuration_with_usual_places():
    registry = config.load()
    for name, server in registry.servers.items():
        settings = {
            "server.name": name,
            "server.configuration": server.configuration,
            "readahead": "1024",
            "server.program": server.program,
            "server.arguments": json.dumps(server.arguments),
        }
        ahead, *lines = recipe.commands(settings, "http_streams")
        assert ahead == "echo 1024 > /sys/block/DISK/queue/read_ahead_kb"
        assert len(lines) == len(server.configuration.splitlines()) + 4 and not any("@" in line for line in lines)
        assert subprocess.run(["sh", "-n"], input="\n".join(lines), text=True, check=False).returncode == 0
        assert lines[-1].startswith("setpriv --reuid=nobody") and f"+net_bind_service -- {server.program} " in lines[-1]
        assert any("MOUNT_POINT/films" in line for line in lines)


def test_the_planner_says_what_link_each_viewer_asks_for():
    own = group("a", 30, more={media.CARRIED: 1.05})
    shown, found = context(own)
    [page] = media._sustained_at_rates(found, media.VIEWERS, shown)
    [row] = page["settings"]
    assert row["value"] == 30 and row["link"] == pytest.approx(1.05 * 25e6) and row["link_text"] == "26.3 Mbit/s"
    assert media._sustained_at_rates(found, devices.STREAMS, shown) == []


def test_streams_of_the_source_stand_beside_ours_as_shares_of_what_the_disk_gives():
    source = read(paths.REFERENCE / "004")
    conditions = {
        "device.name": "iVDR",
        "device.limits.read": 13_750_000,
        "device.kind": "link",
        "readahead": 128,
        "recordings": 0,
        "delivery.name": "progressive",
        "viewers.film_seconds": 20.0,
        "viewers.buffer_seconds": 2.0,
    }
    own, other = (
        group("a", 4, conditions, {served_streams.READ: 1.1}),
        group("b", 30, conditions | {"device.name": "disk"}, {served_streams.READ: 1.2}),
    )
    ahead = group("c", 30, conditions | {"readahead": 1024}, {served_streams.READ: 1.2})
    shown, _ = context(own, other, ahead)
    page, disk = served_streams.pages([own, other, ahead], {"004": source}, shown)
    share, read_for = page["tasks"]
    [alone] = disk["tasks"]
    assert alone["rows"][0]["then"]["value"] == pytest.approx((126.6 / 133.0 + 125.9 / 132.4) / 2), (
        "its rate is printed nowhere"
    )
    assert share["rows"][0]["note"] == "assets of 20 s, playback buffers of 2 s"
    assert share["rows"][0]["then"]["value"] == pytest.approx(4 * 25 / 110) == share["rows"][0]["now"]["value"]
    assert read_for["rows"][0]["then"]["value"] == pytest.approx((100.9 / 106.4 + 101.1 / 106.3) / 2)
    assert read_for["rows"][0]["now"]["value"] == 1.1 and page["kind"] == "fed" and page["source"] == "004"


def test_the_most_streams_that_were_stable_are_read_from_the_printed_table():
    source = read(paths.REFERENCE / "004")
    declared = source.today.fed[0]
    assert served_streams.most_streams(declared, source) == 4
    assert served_streams.most_streams(declared.model_copy(update={"streams": "table-3.1"}), source) == 5
