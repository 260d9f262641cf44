"""`python -m spindlemark.measure`: the plan, a trial, a repetition or a clean-up, as rules and `run` call it."""

import argparse
import json
import sys
from pathlib import Path

from spindlemark import config
from spindlemark.core import atomic_write, errors
from spindlemark.core.errors import UserError
from spindlemark.core.process import interrupts
from spindlemark.measure import cleaning, jobs, pending, plan
from spindlemark.measure.request import request_of


def main() -> int:
    """Parse the arguments and run the requested task.

    Exit code 0 when done, 1 when the harness failed, 2 for a UserError, 128 + signal when stopped.
    """
    given = _parser().parse_args()
    interrupts.install()
    try:
        if given.clean:
            cleaning.clean_all(0 if given.no_wait else given.within, given.keep_memory)
        elif given.plan and given.run:
            write_plan(json.loads(given.plan), given.run)
        elif given.trial and given.run and given.output:
            return jobs.trial(given.trial, given.run, given.output)
        elif given.spec and given.repetition:
            return jobs.repetition(given.spec, given.repetition, given.run, not given.no_wait, given.limit_seconds)
        else:
            raise UserError(
                "measure: SPEC needs --repetition, --plan needs --run, --try needs --run and --output", "see --help"
            )
    except interrupts.Interrupted as stop:
        print(f"stopped by {stop}; everything was cleaned up", file=sys.stderr)
        return 128 + stop.signum
    return 0


def write_plan(settings: dict[str, object], run: Path) -> None:
    """Write the plan for the settings, its specs, and the provenance of all missing repetitions."""
    planned, specs = plan.make(config.load(), request_of(settings))
    plan.write(planned, specs)
    chosen = pending.provenance_of(pending.missing(planned), run.name)
    atomic_write.write(run / pending.PROVENANCE, chosen.model_dump_json())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m spindlemark.measure", description=__doc__)
    parser.add_argument("spec", type=Path, nargs="?", help="spec.json of the experiment; the record goes to its folder")
    parser.add_argument("--repetition", type=int, metavar="N", help="number of the repetition, from 1")
    parser.add_argument("--limit-seconds", type=float, metavar="S", help="longest time for any one command")
    parser.add_argument("--no-wait", action="store_true", help="refuse instead of waiting for another measurement")
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="of the run: its provenance names the blocks")
    parser.add_argument("--plan", metavar="JSON", help="only write the plan of these settings of snakemake --config")
    parser.add_argument("--try", dest="trial", metavar="TESTBED", help="only try whether the testbed can work")
    parser.add_argument("--output", type=Path, metavar="PATH", help="with --try: lists what will be unsupported")
    parser.add_argument("--clean", action="store_true", help="only remove what measuring left behind")
    parser.add_argument(
        "--within",
        type=float,
        metavar="S",
        default=cleaning.CLEAN_SECONDS,
        help="with --clean: longest wait for another measurement",
    )
    parser.add_argument(
        "--keep-memory",
        action="store_true",
        help="with --clean: let free memory stay resident, since more is measured at once",
    )
    return parser


if __name__ == "__main__":
    errors.command(main)
