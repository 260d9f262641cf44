"""Which states of a disk a power cut may leave, and the record that they come from."""

import pytest

from spindlemark.families.hdf5_edit.crash import crash_points, replay
from spindlemark.families.hdf5_edit.crash.crash_points import Point
from spindlemark.testbeds import write_log
from spindlemark.testbeds.recorded import Disk

SIZE = 64


@pytest.fixture
def disk(tmp_path):
    return Disk("test", tmp_path, {})


def recorded(disk, *what):
    """Write to the disk and its record what is told as (offset, bytes); None is a flush."""
    content = bytearray(SIZE)
    with disk.log.open("ab", buffering=0) as log:
        for one in what:
            write_log.append(log.fileno(), *(one or ()))
            if one:
                content[one[0] : one[0] + len(one[1])] = one[1]
    disk.kept.write_bytes(content)
    return write_log.entries(disk.log)


def pattern(text):
    """Entries of w (a write) and f (a flush)."""
    return [write_log.Entry(0, int(letter == "w"), 0) for letter in text]


def test_a_record_gives_back_what_was_written_in_its_order(disk):
    entries = recorded(disk, (3, b"abc"), None, (4, b"X"))
    found = [(entry.offset, entry.size, entry.is_flush) for entry in entries]
    assert found == [(3, 3, False), (0, 0, True), (4, 1, False)]
    with (disk.folder / "image").open("w+b") as image:
        write_log.apply(disk.log, entries[:2], image.fileno())
        assert image.read() == b"\0\0\0abc"
        write_log.apply(disk.log, entries[2:], image.fileno())
        image.seek(0)
        assert image.read() == b"\0\0\0aXc"


def test_a_record_that_ends_within_an_entry_is_refused(disk):
    recorded(disk, (3, b"abc"))
    for cut in (1, 5):
        disk.log.write_bytes(disk.log.read_bytes()[:-cut])
        with pytest.raises(ValueError, match="incomplete"):
            write_log.entries(disk.log)


def test_a_write_that_was_left_out_is_noticed(disk):
    recorded(disk, (3, b"abc"), None, (4, b"X"))
    assert replay.agrees(disk)
    whole = disk.log.read_bytes()
    disk.log.write_bytes(whole[:-17])  # without the last
    assert not replay.agrees(disk)
    disk.log.write_bytes(whole[19:])  # without the first
    assert not replay.agrees(disk)


def test_each_prefix_is_a_point_and_a_flush_makes_none():
    assert crash_points.in_order(pattern("wwfwff"), 0, 200, 1) == [Point(0), Point(1), Point(2), Point(4)]
    assert crash_points.in_order(pattern("wwfwff"), 3, 200, 1) == [Point(3), Point(4)]
    assert crash_points.in_order(pattern("ff"), 0, 200, 1) == [Point(0)]


def test_a_sample_holds_first_last_and_those_around_flushes_and_depends_on_its_seed_alone():
    entries = pattern("w" * 50 + "f" + "w" * 50)
    chosen = crash_points.in_order(entries, 0, 10, 1)
    assert len(chosen) == 10 and chosen == sorted(chosen, key=lambda point: point.upto)
    assert {Point(0), Point(50), Point(52), Point(101)} <= set(chosen)
    assert chosen == crash_points.in_order(entries, 0, 10, 1) != crash_points.in_order(entries, 0, 10, 2)
    crowded = crash_points.in_order(pattern("wf" * 50), 0, 10, 1)
    assert len(crowded) == 10 and {Point(0), Point(99)} <= set(crowded)


def test_reordered_points_keep_all_before_a_flush_and_are_no_prefix():
    found = crash_points.reordered(pattern("wwfwwwfw"), 0, 100, 1)
    assert set(found) == {Point(0, (1,)), Point(3, (4,)), Point(3, (5,)), Point(3, (3, 5)), Point(3, (4, 5))}
    assert found == sorted(found, key=lambda point: point.upto)
    assert len(crash_points.reordered(pattern("w" * 40), 0, 7, 1)) == 7
    assert crash_points.reordered(pattern("wfwfwf"), 0, 7, 1) == [] == crash_points.reordered(pattern("wwww"), 0, 0, 1)
