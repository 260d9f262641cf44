"""`python -m spindlemark.measure`: a repetition, a trial, the account or a clean-up, as rules and `run` call it."""

import argparse
import sys
from pathlib import Path

from spindlemark.core import errors
from spindlemark.core.errors import UserError
from spindlemark.core.process import interrupts
from spindlemark.measure import driver, jobs
from spindlemark.measure.run_notes import Notes


def main() -> int:
    """Parse the arguments and do it. Exit code 0 when done, 1 for the account of what was not measured, 2 for a
    UserError, 128 + signal when stopped."""
    given = _parser().parse_args()
    notes = Notes(given.run) if given.run else None
    interrupts.install()
    try:
        if given.clean:
            driver.clean_all(not given.no_wait, given.keep_memory)
        elif given.account and notes:
            return jobs.account(notes)
        elif given.trial and notes:
            jobs.trial(given.trial, notes)
            given.output.touch()
        elif given.spec and given.repetition:
            print(
                jobs.repetition(
                    given.spec, given.repetition, notes, not given.no_wait, given.limit_seconds, given.round
                )
            )
        else:
            raise UserError(
                "measure: SPEC and --repetition belong together, and --try or --account and --run", "see --help"
            )
    except interrupts.Interrupted as stop:
        print(f"stopped by {stop}; everything was cleaned up", file=sys.stderr)
        return 128 + stop.signum
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m spindlemark.measure", description=__doc__)
    parser.add_argument("spec", type=Path, nargs="?", help="spec.json of the experiment; the record goes beside it")
    parser.add_argument("--repetition", type=int, metavar="N", help="number of the repetition, from 1")
    parser.add_argument("--limit-seconds", type=float, metavar="S", help="longest time for any one command")
    parser.add_argument(
        "--round",
        default="",
        metavar="TEXT",
        help="name of what is measured side by side with this repetition; it is recorded",
    )
    parser.add_argument("--no-wait", action="store_true", help="refuse instead of waiting for another measurement")
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="of the run's notes: what breaks stands there")
    parser.add_argument("--try", dest="trial", metavar="TESTBED", help="only try whether it can work")
    parser.add_argument("--output", type=Path, metavar="PATH", help="made when the trial was done")
    parser.add_argument("--account", action="store_true", help="only tell what was not measured, and why")
    parser.add_argument("--clean", action="store_true", help="only remove what measuring left behind")
    parser.add_argument(
        "--keep-memory",
        action="store_true",
        help="with --clean: let free memory stay resident, since more is measured at once",
    )
    return parser


if __name__ == "__main__":
    errors.command(main)
