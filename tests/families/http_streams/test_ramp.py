"""Clients that join and leave, and the load of the server over time."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from spindlemark.families.http_streams import ramp, server_watch, trial_result
from spindlemark.families.http_streams.server_watch import Load, Reading, ServerWatch


def test_one_client_joins_at_each_step_and_the_first_leaves_first():
    plan = ramp.schedule(4, 3.0, 28.0)
    assert plan == ([0, 3, 6, 9], 12.0) and plan.seconds == 21


def test_several_join_together_where_time_is_short():
    plan = ramp.schedule(30, 3.0, 20.0)
    assert sorted(set(plan.joins)) == [0, 3, 6, 9, 12, 15] and plan.stay_seconds == 18
    assert {plan.joins.count(moment) for moment in plan.joins} == {5}
    assert ramp.schedule(1, 3.0, 2.0) == ([0.0], 2.0), "shorter than a step: one level"


def test_each_second_has_the_clients_of_its_middle():
    spans = [(0.0, 2.0), (1.0, 3.0)]
    report = {"begun": 100.0, "clients": [{"joined_seconds": a, "left_seconds": b} for a, b in spans]}
    load = Load(0.5, 1e7, 1e8, 3e6, 3.1e6)
    found = ramp.rows(report, [(101.0, load), (102.0, load), (103.0, load)])
    assert [row["viewers"] for row in found] == [1, 2, 1] and [row["seconds"] for row in found] == [1, 2, 3]
    assert found[0]["server_resident_bytes"] == 1e7 and found[0]["network_bytes_per_second"] == 3.1e6


def test_the_load_between_two_readings_is_a_rate_and_memory_a_mean():
    readings = [
        Reading(10.0, 1.0, 500, 5, 0, 100),
        Reading(11.0, 1.5, 100, 20, 50, 200),
        Reading(14.0, 2.0, 300, 40, 80, 500),
    ]
    assert server_watch.between(readings) == Load(0.25, 200, 30, 20, 100)


def test_the_start_and_end_of_the_client_program_do_not_count():
    watch = ServerWatch(None, None, read=lambda: None)
    sent = ((10.0, 0), (11.0, 0), (12.0, 50), (13.0, 100), (14.0, 100))
    watch.readings = [Reading(at, 0.0, 1, 1, 0, network) for at, network in sent]
    assert watch.mean(10.9, 13.1).network_bytes_per_second == 50
    assert watch.mean(12.5, 12.6).network_bytes_per_second == 25, "a span without two readings counts with all of them"


def test_the_page_cache_is_without_disks_in_memory():
    text = "MemTotal: 9000 kB\nBuffers: 10 kB\nCached: 700 kB\nShmem: 500 kB\nHugePages_Total: 0\n"
    assert server_watch.page_cache(text) == 210 * 1024


def test_a_real_process_is_watched_once_a_second():
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        server = SimpleNamespace(members=lambda: [busy.pid], cpu_seconds=lambda: used(busy.pid))
        link = SimpleNamespace(
            transferred=lambda: SimpleNamespace(read_bytes=7), carried=lambda: SimpleNamespace(server_bytes=9)
        )
        with ServerWatch(server, link) as watch:
            time.sleep(2.3)
            watch.finish()
    finally:
        busy.send_signal(signal.SIGKILL)
        busy.wait()
    assert len(watch.readings) == 4 and len(watch.series()) == 3
    mean = watch.mean(0.0, time.monotonic())
    assert mean.server_cpu_share > 0 and mean.server_resident_bytes > 1 << 20
    assert mean.device_bytes_per_second == mean.network_bytes_per_second == 0


def used(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(("values", "expected"), [([4.0], 4.0), ([1.0, 2.0], 1.99), (list(range(101)), 99)])
def test_the_99th_percentile(values, expected):
    assert trial_result.p99(values) == pytest.approx(expected)
