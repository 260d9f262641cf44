"""What failed in a run: the same failure twice, and nothing reported twice."""

import pytest

from spindlemark.cli.failures import TRIAL, Failures
from spindlemark.measure.jobs import manner


def failed(testbed, job, error):
    return {"event": "harness_failed", "testbed": testbed, "job": job, "manner": manner(error)}


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
def test_a_testbed_on_which_the_harness_fails_twice_in_the_same_way_is_skipped(first, second, same):
    failures = Failures()
    failures.take([failed("vm", "ext4--picture #1", first), failed("other", "xfs--picture #2", first)])
    assert failures.skipped == {} and not failures.stop
    lines = failures.take([failed("vm", "xfs--picture #2", second)])
    assert ("vm" in failures.skipped, failures.stop, bool(lines)) == (same, same, same)


def test_a_testbed_that_fails_its_trial_is_left_out_by_snakemake_itself(snapshot):
    failures = Failures()
    event = {"event": "unusable", "testbed": "disk", "job": TRIAL, "problem": "no such disk", "remedy": "plug it in"}
    snapshot(failures.take([event, event]))
    assert not failures.stop and failures.skipped["disk"].fixable


def test_the_account_names_each_testbed_and_job_once(snapshot):
    failures = Failures()
    failures.take([failed("loop", "ext4--picture #1", RuntimeError(how)) for how in "ab"])
    failures.take([failed("vm", "jfs--sound #1", RuntimeError("c"))])
    failures.take([{"event": "unusable", "testbed": "vm", "job": "x #1", "problem": "no kernel", "remedy": "get one"}])
    failures.take([failed("loop", "xfs--picture #1", RuntimeError("d"))])
    failures.measured("loop", "xfs--picture #1")
    snapshot(list(failures.lines()))


def test_manner_is_short():
    assert len(manner(RuntimeError("x " * 5000))) < 400
