"""Memory stays: reporting is stopped for a run and put back, and free memory is fetched once."""

import sys

import pytest

from spindlemark.core import private_files
from spindlemark.testbeds import kernel_settings, memory

REAL = memory.ORDER


@pytest.fixture
def kept(tmp_path, monkeypatch, needs_root):
    """`memory.keep` with notes of its own and little room; returns what it said and what it touched."""
    monkeypatch.setattr(private_files, "RUN", tmp_path / "run")
    monkeypatch.setattr(memory, "room", lambda: 128 << 20)
    done = []
    touch = memory.make_resident
    monkeypatch.setattr(memory, "make_resident", lambda size: done.append(touch(size)))

    def keep(order):
        done.clear()
        memory.keep(lambda: done.append("said"), order)
        return list(done)

    return keep


@pytest.fixture
def order(tmp_path):
    file = tmp_path / "page_reporting_order"
    file.write_text("9\n")
    return file


def test_reporting_is_stopped_once_and_put_back(kept, order):
    said, touched = kept(order)
    assert said == "said" and 0 < touched <= 128 << 20
    assert int(order.read_text()) > 20
    assert memory.facts(order) == {"memory.page_reporting_order": 31, "memory.page_reporting_stopped": True}
    assert kept(order) == [], "it stays: the next testbed's trial need not wait"
    memory.restore()
    assert order.read_text() == "9" and memory.facts(order)["memory.page_reporting_stopped"] is False
    assert len(kept(order)) == 2


def test_after_a_crash_the_next_run_ends_it(kept, order):
    """Nothing but the notes tells the next process."""
    kept(order)
    assert kept(order) == []
    assert kernel_settings.changed("+memory") == {str(order): "9"}
    memory.restore()
    assert order.read_text() == "9"


@pytest.mark.parametrize("text", [None, "4294967295\n", "64\n"])
def test_where_nothing_is_reported_nothing_is_done(kept, order, text):
    order.unlink() if text is None else order.write_text(text)
    assert kept(order) == [] and not memory.facts(order)["memory.page_reporting_stopped"]
    assert (order.read_text() if order.exists() else None) == text


@pytest.mark.skipif(not memory._is_reported(REAL), reason="this kernel reports no free pages to anybody")
def test_the_real_kernel_takes_it_and_gets_it_back(kept):
    before = REAL.read_text()
    try:
        assert len(kept(REAL)) == 2
        assert int(REAL.read_text()) >= max(10, int(before))
    finally:
        memory.restore()
    assert REAL.read_text() == before


def test_it_never_takes_what_must_stay_free():
    assert memory.room() <= memory._meminfo("MemFree") - memory._LEAST_LEFT + (64 << 20)
    assert memory.make_resident(0) == 0


def test_a_program_that_finds_too_little_free_touches_nothing():
    import subprocess

    from spindlemark.testbeds import touch_memory

    words = [sys.executable, touch_memory.__file__, str(1 << 40), str(1 << 50)]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "0\n"
