"""Stopping the driver at any moment, politely or not, and two at once."""

import os
import random
import signal
import time

import pytest

from spindlemark.core.record import read_record

KILLS = 60  # a second and a half each; every run of the tests takes other moments


def wait_for_step(bed, process, *steps):
    give_up = time.monotonic() + 300
    while bed.running().get("step") not in steps:
        assert process.poll() is None and time.monotonic() < give_up, "it ended before the step came"
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("signum", "step"), [(signal.SIGINT, "copy"), (signal.SIGTERM, "format"), (signal.SIGHUP, "delete")]
)
def test_a_signal_ends_it_cleanly(bed, signum, step):
    spec = bed.spec("ext4")
    process = bed.measure(spec)
    wait_for_step(bed, process, step)
    process.send_signal(signum)
    out, _ = process.communicate(timeout=600)
    finished = (spec.parent / "rep-1.json").exists()
    assert process.returncode == (0 if finished else 128 + signum), out
    assert bed.leftovers() == []
    bed.call(spec, 2)


def test_kill_at_any_moment_loses_nothing_and_leaves_nothing(bed):
    """Each start must cope with what the one before left; all results that were finished stay as they are."""
    rng = random.Random()
    spec, finished = bed.spec("xfs"), {}
    with bed.forks() as forks:
        for repetition in (1, 2):  # the first makes the library too
            begun = time.monotonic()
            forks.start(spec, repetition)
            assert forks.end() == 0
            longest = time.monotonic() - begun
        for n in range(KILLS):
            remember(spec, finished)
            driver = forks.start(spec, max(finished) + 1)
            time.sleep(rng.uniform(0, longest))
            os.kill(driver, signal.SIGKILL)
            assert forks.end() in (0, -signal.SIGKILL)
            if n % 10 == 9:
                bed.clean()
                assert bed.leftovers() == []
    remember(spec, finished)
    bed.call(spec, max(finished) + 1)
    assert bed.leftovers() == []
    for repetition, content in finished.items():
        path = spec.parent / f"rep-{repetition}.json"
        assert path.read_bytes() == content and read_record(path).status == "ok"


def remember(spec, finished):
    """Add the results that are new to those that were seen before."""
    for path in spec.parent.glob("rep-*.json"):
        finished.setdefault(int(path.stem.removeprefix("rep-")), path.read_bytes())


@pytest.mark.parametrize("step", ["copy", "check"])
def test_kill_in_a_step_is_cleaned_by_the_next_start(bed, step):
    spec = bed.spec("btrfs")
    process = bed.measure(spec)
    wait_for_step(bed, process, step)
    process.kill()
    process.communicate(timeout=600)
    assert bed.leftovers() != []
    bed.call(spec)
    assert bed.leftovers() == [] and read_record(spec.parent / "rep-1.json").status == "ok"


def test_the_second_waits_or_refuses(bed):
    spec = bed.spec("ext4")
    first = bed.measure(spec, 1)
    wait_for_step(bed, first, "prepare")
    second = bed.measure(spec, 2)
    assert "in use by process" in bed.call(spec, 3, "--no-wait", code=2)
    assert first.wait(600) == 0
    out, _ = second.communicate(timeout=600)
    assert second.returncode == 0, out
    assert f"waiting: this machine is in use by process {first.pid} (testbed {bed.testbed})" in out
    one, two = (read_record(spec.parent / f"rep-{n}.json") for n in (1, 2))
    assert two.started_at > one.finished_at
    first.communicate()
