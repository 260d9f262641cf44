"""What is counted as lost, late and repeated, when a stream holds, and how a staircase is read."""

from itertools import pairwise

import pytest

from spindlemark.families.live_video import analysis, rate_reduction
from spindlemark.families.live_video.stream_setup import Seen, Sent, Setting

RATE = 20
LATENCY = 10_000  # microseconds


@pytest.fixture
def setting(tmp_path):
    return Setting(
        name="stream-1",
        folder=str(tmp_path),
        codec="speedhq",
        transport="tcp",
        width=960,
        height=96,
        rate=RATE,
        warm_seconds=1,
        seconds=4,
        address="127.0.0.1",
        port=1,
        watchers=1,
    )


def row(number, latency=LATENCY):
    captured = number * 1_000_000 // RATE
    return number, captured, captured + latency


def seen(rows):
    return Seen(shown=rows, unreadable=0, cpu_seconds=1.0, user="nobody")


def test_all_is_well(setting):
    assert setting.frames == range(20, 100)
    found = analysis.watched(setting, seen([row(n) for n in range(100)]))
    assert (found.due, found.lost, found.late, found.repeated, len(found.latencies)) == (80, 0, 0, 0, 80)
    assert found.holds and analysis.jitter([found]) == 0
    assert analysis.latency([found], 50) == analysis.latency([found], 99) == pytest.approx(0.01)


def test_what_is_lost_late_and_repeated_is_counted_where_it_counts(setting):
    rows = [row(n) for n in range(100) if n not in (5, 30, 31)]  # 5 is in the first second
    rows[50] = row(rows[50][0], LATENCY + 100_001)  # two frame intervals are 100 ms
    rows[60] = row(rows[60][0], LATENCY + 99_999)
    found = analysis.watched(setting, seen([*rows, row(40), row(40), row(99, 2 * LATENCY)]))
    assert (found.lost, found.late, found.repeated) == (2, 1, 3)
    assert analysis.share([found, found], "lost") == 2 / 80


@pytest.mark.parametrize(("missed", "holds"), [(2, True), (3, False)])
def test_one_frame_in_two_seconds_is_still_watched(setting, missed, holds):
    assert analysis.watched(setting, seen([row(n) for n in range(20 + missed, 100)])).holds == holds


def test_nothing_seen_is_all_lost(setting):
    found = analysis.watched(setting, seen([]))
    assert found.lost == found.due == 80 and not found.holds and analysis.jitter([found]) == 0


def test_jitter_is_the_mean_step(setting):
    latencies = [LATENCY, LATENCY + 4000, LATENCY + 1000]
    found = analysis.watched(setting, seen([row(20 + n, latency) for n, latency in enumerate(latencies)]))
    assert analysis.jitter([found]) == pytest.approx(0.0035)


def test_captures_on_time():
    def sent(captured, late):
        return Sent(
            captured=captured,
            late_captures=late,
            skipped=0,
            dropped=0,
            encoded_bytes=0,
            cpu_seconds=0,
            user="nobody",
            real_time=True,
        )

    assert analysis.on_time([sent(100, 0), sent(100, 10)]) == 0.95


def staircase(setting, rows):
    """Read with steps of half a second from the end of the warm-up on, free, then narrower, then wide again."""
    moments = [1 + 0.5 * n for n in range(len(rate_reduction.SHARES) + 2)]
    steps = [
        rate_reduction.Step(share, *ends)
        for share, ends in zip((None, *rate_reduction.SHARES), pairwise(moments), strict=True)
    ]
    steps.append(rate_reduction.Step(None, moments[-1], 5.0))
    return rate_reduction.read(setting, seen(rows), 0.0, steps, 1e6)


def test_a_staircase_tells_what_is_needed_and_when_it_is_well_again(setting):
    # Steps begin at frames 20, 30 (1.5), 40 (1.25), 50 (1), 60 (0.75), 70 (0.5); wide again from 80 on.
    rows = [row(n) for n in range(100) if not 60 <= n < 84 or n % 2]
    found = staircase(setting, rows)
    assert found.held == {1.5: True, 1.25: True, 1.0: True, 0.75: False, 0.5: False}
    assert found.needed == 1e6
    assert found.lost[0.75] == found.lost[0.5] == 0.5 and found.late[0.5] == 0
    assert found.recovery_seconds == pytest.approx(3 / RATE)  # from frame 83 on nothing is missing


def test_a_stream_that_never_comes_back_or_never_held(setting):
    found = staircase(setting, [row(n) for n in range(30)])
    assert found.needed is None and found.recovery_seconds is None
    assert rate_reduction.listed(found)["recovery_seconds"] is None


def test_one_that_is_never_disturbed_is_well_at_once(setting):
    found = staircase(setting, [row(n) for n in range(100)])
    assert found.needed == 0.5e6 and found.recovery_seconds == 1 / RATE
