"""Compound files: which readers are asked for a file, and what their silence means. Programs are not started."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from spindlemark.core.outcome import Failed
from spindlemark.families.aaf_scale.implementations import IMPLEMENTATIONS
from spindlemark.families.aaf_scale.procedure import Work
from spindlemark.families.shared.aaf.graph import Shape

LARGEST = IMPLEMENTATIONS["olefile"].reads_up_to
LEFT_OUT = f"not tried above {LARGEST:,} sources: its time grows with the square of their number"


def asked(sources, folder):
    """A repetition for which every reader that is started crashes, and the limit that each of them got."""
    limits = {}

    def run(argv, limit, accept):
        name = next(name for name, each in IMPLEMENTATIONS.items() if (*each.command, "read") == tuple(argv[:-2]))
        limits[name] = limit
        raise Failed("it crashed")

    repetition = SimpleNamespace(
        factors={"limit_seconds": 1, "reader_seconds": 60},
        testbed=SimpleNamespace(mount_point=folder),
        attachments={},
        gates={},
        limits=limits,
        run=run,
        step=lambda name, cold: nullcontext(),
        measure=lambda metric, value: None,
    )
    repetition.require = lambda gate, ok, *words: repetition.gates.__setitem__(gate, ok)
    work = Work(repetition, IMPLEMENTATIONS["libgsf"], Shape(sources, 512), folder, None)
    return work, repetition


def test_a_reader_is_not_given_files_larger_than_it_reads_within_its_time(tmp_path):
    """One that was left out might have read the file, so this is not a file that nobody reads."""
    work, repetition = asked(LARGEST + 1, tmp_path)
    work.ask_all()
    found = repetition.attachments["understanding"]
    assert found["olefile"] == {"kept": None, "says": LEFT_OUT}
    assert found["pyaaf2"] == {"kept": 0.0, "says": "crashed: it crashed"}
    assert repetition.gates == {"content": False}


def test_a_file_that_no_reader_gives_back_has_failed(tmp_path):
    work, repetition = asked(LARGEST, tmp_path)
    with pytest.raises(Failed, match="no other reader"):
        work.ask_all()
    assert repetition.attachments["understanding"]["olefile"]["kept"] == 0


def test_libgsf_may_take_longer_than_the_others(tmp_path, monkeypatch):
    """From 10,000 sources on it alone confirms files with sectors of 512 bytes."""
    monkeypatch.setattr("spindlemark.families.aaf_scale.implementations.Implementation.here", lambda each: True)
    work, repetition = asked(LARGEST + 1, tmp_path)
    work.ask_all()
    assert repetition.limits == {"libgsf": 300, "cfb": 60, "poi": 60, "pyaaf2": 60}
