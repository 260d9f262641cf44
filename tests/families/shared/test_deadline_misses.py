"""Who fell behind: logs that fio wrote on a real disk, and streams whose lag is known by construction."""

import json

import pytest

from spindlemark.core.paths import ROOT
from spindlemark.families.shared.streams.deadline_misses import Stream, judge, parse

RECORDED = ROOT / "tests/recorded/fio-streams"
JOBS = json.loads((RECORDED / "jobs.json").read_text())
BLOCK = 256 * 1024


def judged(name):
    job = JOBS[name]
    return job, judge(parse((RECORDED / f"{name}.log").read_text()), job["rate"], job["runtime"] / 1000)


@pytest.mark.parametrize("name", JOBS)
def test_the_log_has_every_byte_that_fio_counts(name):
    job, stream = judged(name)
    assert stream.bytes == job["io_bytes"]


def test_a_reader_and_a_writer_that_keep_up():
    for name in ("kept_up", "writer"):
        assert judged(name)[1].holds(0.2)
        assert judged(name)[1].worst_lag_seconds > 0


def test_a_reader_that_stood_still_fell_behind_although_it_has_all_its_bytes():
    job, stream = judged("caught_up")
    assert stream.bytes >= job["rate"] * (job["runtime"] / 1000 - BLOCK / job["rate"])
    assert stream.worst_lag_seconds == pytest.approx(0.669, abs=0.001)
    assert not stream.holds(0.2) and stream.holds(1.0)


def test_a_reader_that_gets_too_little_fell_behind():
    job, stream = judged("fell_behind")
    assert stream.bytes < 0.5 * job["rate"] * job["runtime"] / 1000
    assert stream.worst_lag_seconds >= job["runtime"] / 1000 - stream.bytes / job["rate"]
    assert not stream.holds(1.0)


def test_lag_is_lateness_against_the_timetable():
    assert judge([(0.0, 100), (1.0, 100), (2.0, 100)], 100, 3.0) == Stream(300, 0.0)
    assert judge([(0.0, 100), (1.7, 100), (2.0, 100)], 100, 3.0).worst_lag_seconds == pytest.approx(0.7)


def test_what_never_came_counts_at_the_end():
    assert judge([(0.0, 100)], 100, 5.0).worst_lag_seconds == 4.0
    assert judge([], 100, 5.0) == Stream(0, 5.0)


def test_a_log_of_another_shape_is_an_error():
    with pytest.raises((ValueError, IndexError)):
        parse("no log of fio\n")
