"""`python -m spindlemark.release.contributions`: analyse CONTRIBUTION, gather."""

import argparse
from pathlib import Path

from spindlemark.analysis.findings import findings_files
from spindlemark.core.atomic_write import write
from spindlemark.core.errors import command
from spindlemark.core.record import read_model
from spindlemark.release.contributions import imported, replication
from spindlemark.release.contributions.replication_model import REMEDY, AnalysedContribution


def main() -> None:
    """Parse the arguments and run the chosen action; the same inputs give the same bytes."""
    parser = argparse.ArgumentParser(prog="python -m spindlemark.release.contributions", description=__doc__)
    actions = parser.add_subparsers(required=True)
    analyse = actions.add_parser("analyse", help="check one contribution, and write its findings")
    analyse.add_argument("contribution", type=Path)
    analyse.add_argument(
        "--stability", type=float, required=True, help="widest interval of a stable cell, as a share of its median"
    )
    analyse.set_defaults(action=_analyse)
    gather = actions.add_parser(
        "gather", help="combine the conclusions of contributions with the findings of a version"
    )
    gather.add_argument("findings", type=Path, help="the version's own findings")
    gather.add_argument("analysed", type=Path, nargs="*", help="files that `analyse` wrote")
    gather.set_defaults(action=_gather)
    for action in (analyse, gather):
        action.add_argument("--output", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args()
    given.action(given)


def _analyse(given: argparse.Namespace) -> None:
    _, analysed = imported.checked(given.contribution, given.stability)
    write(given.output, analysed.model_dump_json())


def _gather(given: argparse.Namespace) -> None:
    analysed = [read_model(AnalysedContribution, path, REMEDY) for path in given.analysed]
    write(given.output, replication.gather(findings_files.read(given.findings), analysed).model_dump_json())


if __name__ == "__main__":
    command(main)
