"""Pictures of live video by number of streams and over a long trial, from what records kept, next to what study 002 states."""

import pytest

from live_video_groups import group, record, seen
from spindlemark.site.charts import registry as charts


def trial(streams, sending, lost, latency=0.02):
    return {
        "streams": streams,
        "receivers": 1,
        "seconds": 10.0,
        "senders_cpu_ratio": sending,
        "receivers_cpu_ratio": 2 * sending,
        "link_bits_per_second": 15e6 * streams,
        "due": 300 * streams,
        "lost": lost,
        "late": 1,
        "repeated": 0,
        "latency_median_seconds": latency,
        "latency_p99_seconds": latency and 2 * latency,
        "watched": [],
    }


@pytest.fixture
def added(tmp_path):
    """A group whose second configuration added streams in three repetitions."""
    made, rows = group("streams", 1, 2, 2), []
    for n, sending in enumerate((0.10, 0.12, 0.2)):
        trials = [trial(1, sending, 0), trial(2, 2 * sending, 30), trial(3, 1.0, 900, None)]
        rows.append(record(tmp_path, n, {"trials": trials}))
    return made, seen(tmp_path, made, records={("vmx-omt", "vmx-omt-streams-1"): rows})


def test_load_and_missed_frames_are_drawn_over_the_number_of_streams(added):
    found = {chart.name: chart for chart in charts.of_group(*added)}
    assert [(p.x, p.y, p.low, p.high) for p in found["load-senders"].points] == [
        (1, 0.12, 0.10, 0.2),
        (2, 0.24, 0.2, 0.4),
        (3, 1, 1, 1),
    ]
    assert [(p.x, p.y) for p in found["load-link"].points] == [(1, 15e6), (2, 30e6), (3, 45e6)]
    assert [p.y for p in found["load-missed"].points] == [1 / 300, 31 / 600, 901 / 900]
    assert [p.x for p in found["load-latency"].points] == [1, 2], "nothing was shown at 3"
    assert found["load-senders"].x.whole and "median of all repetitions" in found["load-senders"].caption


def test_the_table_has_a_row_per_number_and_what_the_study_states(added):
    table = next(chart for chart in charts.of_group(*added) if chart.name == "load-table")
    assert "load-table" in charts.first("live_video") and "live_video" in charts.with_published_values()
    rows = dict(table.rows)
    assert list(rows) == [
        "vmx-omt, 1 stream",
        "vmx-omt, 2 streams",
        "vmx-omt, 3 streams",
        "NDI 3.8 in study 002",
        "NDI 4.1 in study 002",
    ]
    assert [mark.word for mark in rows["vmx-omt, 1 stream"]] == [
        "12 %",
        "24 %",
        "15.0 Mbit/s",
        "0",
        "1",
        "0",
        "20.0 ms",
        "40.0 ms",
    ]
    states = {name: [mark.state for mark in marks][3:5] for name, marks in rows.items()}
    assert states["vmx-omt, 1 stream"] == ["good", "partly"] and states["vmx-omt, 2 streams"] == ["bad", "partly"]
    assert [mark.word for mark in rows["NDI 3.8 in study 002"]][1:3] == ["25 %", "653 Mbit/s"]
    assert "nothing shown" in [mark.word for mark in rows["vmx-omt, 3 streams"]]


def test_records_of_earlier_methods_have_no_table(tmp_path):
    made = group("streams", 1, 2, 2)
    old = {key: trial(1, 0.1, 0)[key] for key in ("streams", "receivers", "watched")}
    rows = [record(tmp_path, 0, {"trials": [old]})]
    assert charts.of_group(made, seen(tmp_path, made, records={("vmx-omt", "vmx-omt-streams-1"): rows})) == []


@pytest.mark.parametrize(
    ("detected", "said"), [(True, "vmx-omt drifts by -1.11 ms per minute"), (False, "vmx-omt has no detected drift")]
)
def test_a_long_trial_is_drawn_over_time_with_its_drift(tmp_path, detected, said):
    made = group("soak", 1, 2, 2)
    drift = {"slope_ms_per_minute": -1.11, "low_ms_per_minute": -1.2, "high_ms_per_minute": -1.0, "detected": detected}
    latencies = [{"second": n, "latency_seconds": 0.02 - n * 1e-5} for n in range(30)]
    rows = [record(tmp_path, 0, {"trials": [], "drift": drift, "latencies": latencies})]
    (found,) = charts.of_group(made, seen(tmp_path, made, records={("vmx-omt", "vmx-omt-soak-1"): rows}))
    assert found.name == "soak" and said in found.caption and "(95 % interval -1.2 to -1)" in found.caption
    assert [(p.x, p.y) for p in found.points][-1] == (29, pytest.approx(0.01971))
