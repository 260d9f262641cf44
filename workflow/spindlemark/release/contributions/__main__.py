"""`python -m spindlemark.release.contributions`: hear BUNDLE, gather."""

import argparse
from pathlib import Path

from spindlemark.analysis.findings import findings_files
from spindlemark.core.atomic_write import write
from spindlemark.core.errors import command
from spindlemark.core.record import read_model
from spindlemark.release.contributions import imported, replication
from spindlemark.release.contributions.replication_model import REMEDY, Heard


def main() -> None:
    """Parse the arguments and run the chosen action; the same inputs give the same bytes."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.release.contributions", description=__doc__)
    actions = parser.add_subparsers(required=True)
    hear = actions.add_parser("hear", help="check one bundle, and write what it says")
    hear.add_argument("bundle", type=Path)
    hear.add_argument(
        "--stability", type=float, required=True, help="widest interval of a stable cell, as a share of its median"
    )
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
    _, heard = imported.checked(given.bundle, given.stability)
    write(given.output, heard.model_dump_json())


def _gather(given: argparse.Namespace) -> None:
    heard = [read_model(Heard, path, REMEDY) for path in given.heard]
    write(given.output, replication.gather(findings_files.read(given.findings), heard).model_dump_json())


if __name__ == "__main__":
    command(main)
