"""A slowed repetition: each step waits for its share at the end, and the wait belongs to its last command."""

import time

import pytest

from spindlemark.core.outcome import Failed
from spindlemark.harness import repetition as harness
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds.device import Traffic


class Bed:
    """A testbed that transfers nothing."""

    def transferred(self):
        return Traffic()

    def counters(self):
        return {}


class Declared:
    busy_bound = 1.0


@pytest.fixture
def slowed(monkeypatch):
    """A repetition whose steps are prolonged by half."""
    monkeypatch.setattr(harness, "drop_caches", lambda: None)
    monkeypatch.setattr(harness.running, "write", lambda *_: None)
    made = Repetition(spec=None, number=1, registry=None, declared=Declared(), slowdown=0.5)
    made.testbed = Bed()
    return made


def test_a_step_is_prolonged_by_a_share_of_its_own_time(slowed):
    begun = time.perf_counter()
    with slowed.step("copy") as step:
        first = slowed.run(["sh", "-c", "sleep 0.1"])
        second = slowed.run(["sh", "-c", "sleep 0.1"])
    assert time.perf_counter() - begun >= step.seconds >= 1.5 * (first.seconds + second.seconds)
    waited = step.seconds - first.seconds - second.seconds
    assert 0 <= waited - 0.5 * (first.seconds + second.seconds) < 0.2, "a busy machine ends a wait later"
    assert [c.seconds for c in slowed.commands] == [first.seconds, pytest.approx(second.seconds + waited)]
    assert step.cpu_seconds == pytest.approx(sum(c.user_seconds + c.system_seconds for c in slowed.commands))
    assert slowed.notes["control.slowdown"] == 0.5
    assert slowed.notes["control.waited_seconds"] == pytest.approx(waited)


def test_what_runs_after_a_step_is_no_part_of_it(slowed):
    slowed.slowdown = 0.0
    with slowed.step("sync") as step:
        done = slowed.run(["sh", "-c", "exit 0"])
    slowed.run(["sh", "-c", "sleep 0.05"])
    assert step.seconds == done.seconds and [c.step for c in slowed.commands] == ["sync", "prepare"]


def test_nothing_waits_without_a_slowdown_or_after_a_failure(slowed):
    with pytest.raises(Failed), slowed.step("copy") as failed:
        slowed.run(["sh", "-c", "exit 1"])
    with slowed.step("nothing") as empty:
        pass
    slowed.slowdown = 0.0
    with slowed.step("plain") as plain:
        done = slowed.run(["sh", "-c", "exit 0"])
    assert failed.seconds == slowed.commands[0].seconds and empty.seconds == 0 and plain.seconds == done.seconds
    assert "control.slowdown" not in slowed.notes
