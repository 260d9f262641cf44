"""`python -m spindlemark.measure SPEC --repetition N --output PATH`: as rules call it; `--clean` tidies up."""

import argparse
import sys
from pathlib import Path

from spindlemark import declare, errors
from spindlemark.errors import UserError
from spindlemark.measure import driver, interrupts


def main() -> int:
    """Parse the arguments and measure. Exit code 0 with a record, 2 for a UserError, 128 + signal when stopped."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.measure", description=__doc__)
    parser.add_argument("spec", type=Path, nargs="?", help="spec.json of the experiment")
    parser.add_argument("--repetition", type=int, metavar="N", help="number of the repetition, from 1")
    parser.add_argument("--output", type=Path, metavar="PATH", help="where the record goes: rep-N.json beside the spec")
    parser.add_argument("--limit-seconds", type=float, metavar="S", help="longest time for any one command")
    parser.add_argument("--no-wait", action="store_true", help="refuse instead of waiting for a testbed in use")
    parser.add_argument("--clean", action="store_true", help="only remove what measuring left behind")
    given = parser.parse_args()
    interrupts.install()
    try:
        if given.clean:
            for name, declared in declare.load().testbeds.items():
                driver.clean(name, declared, wait=not given.no_wait)
            return 0
        if None in (given.spec, given.repetition, given.output):
            raise UserError("measure: SPEC, --repetition and --output belong together", "see --help")
        record = driver.measure(given.spec, given.repetition, given.output, not given.no_wait, given.limit_seconds)
    except interrupts.Interrupted as stop:
        print(f"stopped by {stop}; everything was cleaned up", file=sys.stderr)
        return 128 + stop.signum
    print(f"{record.experiment.experiment} #{record.repetition}: {record.status}"
          + (f" ({record.reason})" if record.reason else ""))
    return 0


if __name__ == "__main__":
    errors.command(main)
