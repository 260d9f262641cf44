"""The drift of the latency: a known one is found, one that is not there is not, and the interval covers as often as it says."""

import numpy as np
import pytest

from spindlemark.families.live_video import analysis, drift
from spindlemark.families.live_video.stream_setup import Seen, Setting
from spindlemark.families.shared.timed_programs.clocks import scaled_microseconds

RATE, SECONDS = 30, 1800
FRAME = 1 / RATE


def latencies(seed, number=RATE * SECONDS):
    """Latencies of 20 ms that follow each other: noise with memory (autoregressive, about 10 s), and peaks like a scheduler's."""
    chance = np.random.default_rng(seed)
    times = np.arange(number) * FRAME
    slow = np.zeros(SECONDS)
    for n in range(1, SECONDS):
        slow[n] = 0.9 * slow[n - 1] + chance.normal(0, 0.5e-3)
    noise = np.repeat(slow, RATE)[:number] + chance.gamma(2, 0.5e-3, number)
    noise[chance.random(number) < 0.01] += 0.05
    return times, 0.02 + noise


def found(times, values):
    return drift.drift(drift.spans(times, values))


@pytest.mark.parametrize("way", [1, -1])
def test_one_frame_in_half_an_hour_is_detected(way):
    times, values = latencies(1)
    slope = way * FRAME / (SECONDS / 60)
    seen = found(times, values + slope * times / 60)
    assert seen.detected and seen.low <= slope <= seen.high
    assert seen.slope == pytest.approx(slope, rel=0.3)


def test_the_interval_covers_a_latency_that_stays_as_it_is_about_as_often_as_it_says():
    covered = sum(not found(*latencies(seed)).detected for seed in range(60))
    assert covered >= 51, "85 % of 60: what a 95 % interval gives in all but one case in a thousand"


def test_blocks_are_wider_than_a_bootstrap_of_single_spans_where_latencies_follow_each_other():
    chance = np.random.default_rng(3)
    values = np.zeros(drift.SPANS)
    for n in range(1, len(values)):
        values[n] = 0.9 * values[n - 1] + chance.normal()
    together = found(np.arange(len(values), dtype=float), values)
    chance.shuffle(values)
    apart = found(np.arange(len(values), dtype=float), values)
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_an_exact_line_has_its_slope_and_no_width():
    times = np.arange(600) / 10
    seen = found(times, 0.01 + times * 0.001)
    assert seen.slope == pytest.approx(0.06) and seen.high - seen.low < 1e-9


def test_too_few_frames_have_no_slope():
    with pytest.raises(ValueError, match="19 frames were shown, and a slope needs 20"):
        drift.spans(range(19), [0.01] * 19)
    with pytest.raises(ValueError, match="in 2 parts"):
        drift.spans([0.0] * 30 + [9.0] * 30, [0.01] * 60)


def test_a_slow_clock_is_one_frame_behind_at_the_end(tmp_path, monkeypatch):
    """The watcher's own clock and the judgement of its notes, on timestamps of a trial of half an hour."""
    given = Setting(
        name="stream-1",
        folder=str(tmp_path),
        codec="speedhq",
        transport="tcp",
        width=960,
        height=96,
        rate=RATE,
        warm_seconds=1,
        seconds=SECONDS,
        address="127.0.0.1",
        port=1,
        watchers=1,
        clock_rate=drift.slow_rate(SECONDS, RATE),
    )
    begin, rows = 5000.0, []
    now = [0]
    monkeypatch.setattr("spindlemark.families.shared.timed_programs.clocks.microseconds", lambda: now[0])
    _, noise = latencies(2)
    for number in given.frames:
        captured = round(1e6 * (begin + number * FRAME))
        now[0] = captured + round(1e6 * noise[number % len(noise)])
        rows.append((number, captured, scaled_microseconds(begin, given.clock_rate)))
    seen = Seen(shown=rows, unreadable=0, cpu_seconds=1.0, user="nobody")
    result = found(*analysis.captures(given, seen))
    assert result.detected and result.low <= -FRAME / (SECONDS / 60) <= result.high
    assert drift.listed(result)["slope_ms_per_minute"] == pytest.approx(-1.11, abs=0.35)
