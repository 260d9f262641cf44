"""The measuring jobs of the workflow: the trial of a testbed, and one repetition."""

import re
import sys
import traceback
from pathlib import Path

from spindlemark import config
from spindlemark.core import atomic_write, errors, events, paths
from spindlemark.core.errors import UserError, as_user_error
from spindlemark.core.record import read_spec
from spindlemark.measure import driver, pending, plan, testbed_trial
from spindlemark.testbeds.kind import Unusable


def trial(testbed: str, run: Path, output: Path) -> int:
    """Try a testbed with all experiments of this run on it, and write what will be unsupported.

    Returns the exit code: 0, 2 when the user can fix the testbed, 1 when the harness failed.
    """
    planned = plan.read()
    missing = [job.experiment for job in pending.requested(planned, run)[0]]
    specs = [read_spec(paths.ROOT / spec) for spec in sorted({e.spec for e in missing if e.testbed == testbed})]
    lacking: list[str] = []
    try:
        if specs:
            resident = config.load().profiles[planned.profile].resident_memory
            lacking = testbed_trial.trial(specs, {e.testbed for e in missing} == {testbed}, resident)
    except UserError as error:
        return _unusable(testbed, "its trial", error)
    except Exception as error:
        return _failed(testbed, "its trial", error)
    events.emit("unsupported", testbed=testbed, lacking=lacking)
    atomic_write.write(output, "".join(f"{line}\n" for line in lacking))
    return 0


def repetition(spec_path: Path, number: int, run: Path | None, wait: bool, limit_seconds: float | None) -> int:
    """Measure one repetition and print its status in one line.

    `run` is the folder of the run, whose provenance says which block the repetition belongs to. Returns the exit code as
    `trial` does; raises UserError for what the user can fix and is not a fault of the testbed, such as a full disk.
    """
    spec = read_spec(spec_path)
    provenance = pending.provenance(run) if run else None
    block, analyses = (provenance.block(spec_path, number), provenance.interim_analyses) if provenance else ("", 0)
    testbed, job = spec.experiment.testbed, f"{spec.experiment.experiment} #{number}"
    try:
        record = driver.measure(spec_path, number, wait, limit_seconds, analyses, block)
    except Unusable as error:
        return _unusable(testbed, job, error)
    except Exception as error:
        if as_user_error(error):
            raise
        return _failed(testbed, job, error)
    print(f"{job}: {record.status}" + (f" ({record.reason})" if record.reason else ""))
    return 0


def manner(error: BaseException) -> str:
    """The type and text of an error, without the numbers that differ from time to time."""
    text = re.sub(r"\b(0x)?[0-9a-f]*\d[0-9a-f]*\b", "#", " ".join(str(error).split()))
    return f"{type(error).__name__}: {text[:300]}"


def _unusable(testbed: str, job: str, error: UserError) -> int:
    events.emit("unusable", testbed=testbed, job=job, problem=error.problem, remedy=error.remedy)
    print(f"{errors.MARK}testbed {testbed}: {error}", file=sys.stderr)
    return 2


def _failed(testbed: str, job: str, error: Exception) -> int:
    events.emit("harness_failed", testbed=testbed, job=job, manner=manner(error))
    traceback.print_exception(error)
    return 1
