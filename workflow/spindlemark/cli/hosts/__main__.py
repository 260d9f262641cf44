"""`python -m spindlemark.cli.hosts HOST SETTINGS`: the job of a host. One of its testbeds after the other is measured there."""

import argparse
import json
import sys

from spindlemark import config
from spindlemark.cli.hosts import import_results
from spindlemark.cli.hosts.visit import Visit
from spindlemark.core import errors
from spindlemark.core.errors import UserError
from spindlemark.measure import plan
from spindlemark.testbeds import hosts

FORWARDED = ("profile", "family", "only", "repetitions")


def main() -> int:
    """Measure there, and bring here what there is however that ended. Exit code 0 when all went well, 2 for a UserError."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.cli.hosts", description=__doc__)
    parser.add_argument("host", help="as config/testbeds/ calls it")
    parser.add_argument("settings", help="those of snakemake --config, as JSON")
    given = parser.parse_args()
    registry, request = config.load(), plan.asked(json.loads(given.settings))
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
            print(
                f"testbed {name}: {import_results.take(name)} new repetitions came from host {given.host}", flush=True
            )
        except UserError as error:  # where it never came to a plan, why stands in what it said
            failed.append(error.problem)
    if failed:
        raise UserError(
            "; ".join(failed), "what the host said stands above; mend it there, and ask again: it goes on from there"
        )
    return 0


if __name__ == "__main__":
    try:
        errors.command(main)
    except KeyboardInterrupt:
        sys.exit("stopped; what runs on the host stops too, and the next call goes on from there")
