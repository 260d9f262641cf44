"""`python -m spindlemark.joining`: hear BUNDLE, gather."""

import argparse
from pathlib import Path

from spindlemark.errors import command
from spindlemark.findings import older
from spindlemark.joining import elsewhere, joined
from spindlemark.joining.report import REMEDY, Heard
from spindlemark.record import read_model
from spindlemark.written import write


def main() -> None:
    """Parse the arguments and run the chosen action; the same inputs give the same bytes."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.joining", description=__doc__)
    actions = parser.add_subparsers(required=True)
    hear = actions.add_parser("hear", help="check one bundle, and write what it says")
    hear.add_argument("bundle", type=Path)
    hear.add_argument("--stability", type=float, required=True,
                      help="widest interval of a stable cell, as a share of its median")
    hear.set_defaults(action=_hear)
    gather = actions.add_parser("gather", help="put what bundles say beside a version's own findings")
    gather.add_argument("findings", type=Path, help="the version's own findings")
    gather.add_argument("heard", type=Path, nargs="*", help="what `hear` wrote")
    gather.set_defaults(action=_gather)
    for action in (hear, gather):
        action.add_argument("--output", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args()
    given.action(given)


def _hear(given: argparse.Namespace) -> None:
    _, heard = joined.checked(given.bundle, given.stability)
    write(given.output, heard.model_dump_json())


def _gather(given: argparse.Namespace) -> None:
    heard = [read_model(Heard, path, REMEDY) for path in given.heard]
    write(given.output, elsewhere.gather(older.read(given.findings), heard).model_dump_json())


if __name__ == "__main__":
    command(main)
