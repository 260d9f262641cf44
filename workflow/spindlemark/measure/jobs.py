"""The jobs of a run: the trial of a testbed, a repetition, and the account in the end. They know what broke before."""

import sys
import traceback
from pathlib import Path

from spindlemark import config
from spindlemark.core import paths
from spindlemark.core.errors import UserError, mendable
from spindlemark.core.record import read_spec
from spindlemark.measure import driver, pending, plan
from spindlemark.measure.run_notes import Aside, Notes
from spindlemark.testbeds.kind import Unusable

# A breakage that comes again in the same way comes always: no third try.
TRIES = 2


def trial(testbed: str, notes: Notes) -> None:
    """Try a testbed with all that this run is to measure on it; one that cannot work is set aside."""
    planned = plan.read()
    missing = [job.experiment for job in pending.asked(planned, notes.folder)[0]]
    specs = [read_spec(paths.ROOT / spec) for spec in sorted({e.spec for e in missing if e.testbed == testbed})]
    if not specs:
        return
    for _ in range(TRIES):
        try:
            resident = config.load().profiles[planned.profile].resident_memory
            notes.lacks(testbed, driver.trial(specs, {e.testbed for e in missing} == {testbed}, resident))
            return
        except UserError as error:
            notes.set_aside(testbed, Aside(problem=error.problem, remedy=error.remedy, mendable=True))
            return
        except Exception as error:  # whatever it is, it happened before anything was measured
            _told(notes, testbed, "its trial", error)


def repetition(
    spec_path: Path, number: int, notes: Notes | None, wait: bool, limit_seconds: float | None, round_name: str = ""
) -> str:
    """Measure one repetition; returns what came of it, in a line. What breaks is tried once more and noted.

    Without `notes` nobody would heed them, and what breaks is raised.
    """
    spec, looks = read_spec(spec_path), pending.looked(notes.folder) if notes else 0
    testbed, job = spec.experiment.testbed, f"{spec.experiment.experiment} #{number}"
    for _ in range(TRIES):
        if notes and (aside := notes.of(testbed).aside):
            return f"{job}: not measured, testbed {testbed} was set aside: {aside.problem}"
        try:
            return _measured(spec_path, number, job, wait, limit_seconds, looks, round_name)
        except Unusable as error:
            if notes is None:
                raise
            notes.set_aside(testbed, Aside(problem=error.problem, remedy=error.remedy, mendable=True))
        except Exception as error:
            if notes is None or mendable(error):  # as a full disk, which is no fault of the testbed's
                raise
            _told(notes, testbed, job, error)
    return f"{job}: not measured, since the harness broke"


def account(notes: Notes) -> int:
    """Say what was set aside or broke; exit code 1 when there is anything."""
    lines = list(notes.lines())
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


def _measured(
    spec_path: Path, number: int, job: str, wait: bool, limit_seconds: float | None, looks: int, round_name: str
) -> str:
    record = driver.measure(spec_path, number, wait, limit_seconds, looks, round_name)
    return f"{job}: {record.status}" + (f" ({record.reason})" if record.reason else "")


def _told(notes: Notes, testbed: str, job: str, error: Exception) -> None:
    """Note a breakage and print it whole; a testbed that broke twice in the same way is set aside."""
    traceback.print_exception(error)
    if notes.broke(testbed, job, error):
        how = notes.of(testbed).broken[-1].how
        notes.set_aside(
            testbed,
            Aside(
                problem=f"the harness broke twice in the same way: {how}",
                mendable=False,
                remedy="what it said is in data/build/logs/; see also ./spindlemark doctor",
            ),
        )
