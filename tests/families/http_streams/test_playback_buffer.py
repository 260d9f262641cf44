"""A client's buffer: when it starts, what it holds, when it stalls and for how long."""

import pytest

from spindlemark.families.http_streams.playback_buffer import PlaybackBuffer


def client(**changes):
    return PlaybackBuffer(**{"rate": 100.0, "start": 50, "most": 100, "total": 1000, "begun": 10.0} | changes)


def test_it_starts_when_half_of_the_buffer_is_filled():
    one = client()
    one.add(49, 10.1)
    assert one.startup_seconds is None and one.room(99.0) == 51
    one.add(1, 10.4)
    assert one.startup_seconds == pytest.approx(0.4) and one.level(10.4) == 50


def test_it_drains_at_the_rate_and_makes_room():
    one = client()
    one.add(100, 10.0)
    assert one.room(10.0) == 0 and one.room(10.3) == 30 and one.level(10.3) == pytest.approx(70)
    assert one.stalls == 0


def test_an_empty_buffer_is_a_stall_from_the_moment_in_which_it_ran_empty():
    one = client()
    one.add(50, 10.0)  # lasts half a second
    one.add(10, 12.0)
    assert one.stalls == 1 and one.level(12.0) == 10
    one.add(40, 12.5)  # enough to go on
    assert one.stalled_seconds == pytest.approx(2.0) and one.level(12.6) == pytest.approx(40)
    assert one.startup_seconds == 0.0, "the first start only"


def test_a_standstill_that_lasts_counts_up_to_the_end():
    one = client()
    one.add(50, 10.0)
    one.end(13.5)
    assert one.stalls == 1 and one.stalled_seconds == pytest.approx(3.0)


def test_the_end_of_the_asset_is_no_stall():
    one = client(total=60)
    one.add(60, 10.0)
    one.end(20.0)
    assert one.stalls == 0 and one.stalled_seconds == 0 and one.level(20.0) == 0 and one.room(20.0) == 0


def test_an_asset_shorter_than_a_start_begins_all_the_same():
    one = client(total=20)
    one.add(20, 10.2)
    assert one.startup_seconds == pytest.approx(0.2)


def test_who_never_got_anything_neither_started_nor_stalled():
    one = client()
    one.end(30.0)
    assert one.startup_seconds is None and one.stalls == 0 and one.stalled_seconds == 0


def test_the_lowest_fill_is_what_was_there_just_before_more_came():
    one = client()
    assert one.lowest is None
    one.add(50, 10.0)
    one.add(40, 10.3)  # 20 were left
    one.add(30, 10.5)  # 40 were left
    assert one.lowest == pytest.approx(20) and one.stalls == 0


def test_the_lowest_fill_goes_on_below_zero_by_what_was_missing():
    one = client()
    one.add(50, 10.0)
    one.add(60, 11.0)  # half a second late
    assert one.lowest == pytest.approx(-50)
    one.end(11.6)
    assert one.lowest == pytest.approx(-50), "60 came, and 60 were due"
    one = client()
    one.add(50, 10.0)
    one.end(12.0)
    assert one.lowest == pytest.approx(-150)


def test_nothing_is_missing_once_the_whole_asset_is_there():
    one = client(total=60)
    one.add(60, 10.0)
    one.end(20.0)
    assert one.lowest == 60
