"""`python -m spindlemark.cli.hosts HOST SETTINGS`: measure the testbeds of a host there, one after the other."""

import argparse
import json
import sys

from spindlemark import config
from spindlemark.cli.hosts import import_results
from spindlemark.cli.hosts.visit import Visit
from spindlemark.core import errors
from spindlemark.core.errors import UserError
from spindlemark.measure.request import request_of
from spindlemark.testbeds import hosts

FORWARDED = ("profile", "family", "only", "repetitions")


def main() -> int:
    """Measure on the host, then copy its results here, even if measuring failed. Exit code 2 for a UserError."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.cli.hosts", description=__doc__)
    parser.add_argument("host", help="name of the host in config/testbeds/")
    parser.add_argument("settings", help="settings of snakemake --config, as JSON")
    given = parser.parse_args()
    registry, request = config.load(), request_of(json.loads(given.settings))
    words = [
        word for key in FORWARDED if (value := getattr(request, key)) is not None for word in (f"--{key}", str(value))
    ]
    failed = []
    for name in hosts.others(registry, request.testbed).get(given.host, []):
        visit = Visit(name, registry.testbeds[name])
        visit.send()
        if code := visit.measure(words):
            failed.append(f"testbed {name}: the run on host {given.host} ended with exit code {code}")
        try:
            visit.bring()
            print(f"testbed {name}: {import_results.take(name)} new repetitions from host {given.host}", flush=True)
        except UserError as error:  # without a plan on the host, its own output gives the reason
            failed.append(error.problem)
    if failed:
        raise UserError(
            "; ".join(failed),
            "see the output of the host above; fix the cause there, then run the same command to continue",
        )
    return 0


if __name__ == "__main__":
    try:
        errors.command(main)
    except KeyboardInterrupt:
        sys.exit("stopped, also on the host; the next call continues")
