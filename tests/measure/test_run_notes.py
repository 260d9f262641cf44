"""Notes of a run: the same breakage twice, and nothing said twice."""

import pytest

from spindlemark.measure.run_notes import Aside, Notes, manner


@pytest.fixture
def notes(tmp_path):
    return Notes(tmp_path)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (
            RuntimeError("0 disks of the guest have the serial number spindlemark-1a2b3c4d"),
            RuntimeError("0 disks of the guest have the serial number spindlemark-99fe0012"),
            True,
        ),
        (RuntimeError("process 4711 ended"), RuntimeError("process 12 ended"), True),
        (RuntimeError("process 4711 ended"), ValueError("process 4711 ended"), False),
        (RuntimeError("it hangs"), RuntimeError("it crashed"), False),
    ],
)
def test_the_same_way_is_known_again(notes, first, second, same):
    assert notes.broke("vm", "ext4--picture #1", first) is False
    assert notes.broke("vm", "xfs--picture #2", second) is same
    assert notes.broke("other", "xfs--picture #2", first) is False


def test_the_account_names_each_testbed_and_job_once(notes):
    notes.broke("loop", "ext4--picture #1", RuntimeError("a"))
    notes.broke("loop", "ext4--picture #1", RuntimeError("b"))
    notes.broke("vm", "jfs--sound #1", RuntimeError("c"))
    notes.set_aside("vm", Aside(problem="no kernel", remedy="get one", mendable=True))
    lines = list(notes.lines())
    assert len(lines) == 2
    assert "ext4--picture #1 on testbed loop" in lines[0]
    assert lines[1] == "Testbed vm was set aside: no kernel\n  get one"


def test_a_damaged_note_is_none(notes, tmp_path):
    notes.lacks("loop", ["kernel 6 has no jfs"])
    (tmp_path / "testbeds" / "loop.json").write_text("{")
    assert notes.of("loop").lacks == [] and list(notes.lines()) == []


def test_manner_is_short():
    assert len(manner(RuntimeError("x " * 5000))) < 400
