"""`python -m spindlemark.release`: freeze, verify, versions, database, unpack."""

import argparse
import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from spindlemark.core import paths
from spindlemark.core.atomic_write import write
from spindlemark.core.errors import UserError, command
from spindlemark.core.record import read_spec
from spindlemark.release import versions as release

if TYPE_CHECKING:
    from spindlemark.measure.plan import Plan


def main() -> int:
    """Parse the arguments and run the chosen action."""
    arguments = _parser().parse_args()
    return arguments.action(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spindlemark.release", description=__doc__)
    parser.add_argument("--folder", type=Path, default=paths.RELEASES, help="folder of the releases")
    actions = parser.add_subparsers(required=True)
    freeze = actions.add_parser("freeze", help="freeze the measurements of the plan as a new release")
    freeze.add_argument("version", help="for example 2026.11")
    freeze.add_argument("--plan", type=Path, default=paths.PLAN)
    freeze.add_argument("--database", type=Path, required=True)
    freeze.add_argument("--findings", type=Path, required=True)
    freeze.add_argument("--joined", type=Path, help="replications by other machines; none if not given")
    freeze.add_argument(
        "--code", type=Path, default=paths.PROJECT, help="folder of the program, whose commit is recorded"
    )
    freeze.add_argument("--date", help="YYYY-MM-DD; the day of the last repetition if not given")
    freeze.set_defaults(action=_freeze)
    verify = actions.add_parser("verify", help="check every file of one release, or of all")
    verify.add_argument("version", nargs="?")
    verify.set_defaults(action=_verify)
    versions = actions.add_parser("versions", help="verify all releases and write their list as JSON")
    versions.add_argument("--output", type=Path, required=True)
    versions.set_defaults(action=_versions)
    database = actions.add_parser("database", help="verify one release and build its database")
    database.add_argument("version")
    database.add_argument("--output", type=Path, required=True)
    database.set_defaults(action=_database)
    unpack = actions.add_parser("unpack", help="write a release as plain files, as in format 1")
    unpack.add_argument("version")
    unpack.add_argument("--output", type=Path, required=True, help="new folder")
    unpack.set_defaults(action=_unpack)
    return parser


def _freeze(arguments: argparse.Namespace) -> int:
    from spindlemark.measure import pending, plan  # slow to load, and not needed by the other actions

    release.check_new(arguments.version, arguments.folder)
    planned = plan.read(arguments.plan)
    missing = pending.missing(planned, everything=True)
    if missing:
        wanted = sum(len(experiment.records) for experiment in planned.experiments)
        raise UserError(
            f"{arguments.plan}: {len(missing)} of {wanted} repetitions are not measured yet",
            "measure them with: ./spindlemark run, or freeze what there is: ./spindlemark release freeze VERSION --everything",
        )
    records = [paths.ROOT / record for record in pending.existing_records(planned)]
    folder = release.freeze(
        arguments.version,
        records,
        arguments.database,
        arguments.findings,
        arguments.folder,
        _day(arguments.date),
        _profiles(planned),
        code=arguments.code,
        joined=arguments.joined,
    )
    print(folder)
    return 0


def _profiles(planned: "Plan") -> dict[str, list[str]]:
    """The profiles that declare the plan's experiments, with their families."""
    from spindlemark import config
    from spindlemark.measure import declaring_profiles

    experiments = [read_spec(paths.ROOT / each.spec).experiment for each in planned.experiments]
    found = declaring_profiles.of(config.load(), experiments, planned.profile)
    return found or {planned.profile: sorted({each.family for each in experiments})}


def _verify(arguments: argparse.Namespace) -> int:
    names = [arguments.version] if arguments.version else [v.version for v in release.versions(arguments.folder)]
    for name in names:
        release.order(name)
        manifest = release.verify(arguments.folder / name)
        print(f"{name}: {len(manifest.files)} files and {len(manifest.records)} records are unchanged")
    return 0


def _versions(arguments: argparse.Namespace) -> int:
    found = release.versions(arguments.folder)
    for version in found:
        release.verify(arguments.folder / version.version)
    write(arguments.output, json.dumps([version.model_dump(mode="json") for version in found], indent=1))
    return 0


def _database(arguments: argparse.Namespace) -> int:
    from spindlemark.analysis import database  # slow to load, and not needed by the other actions

    folder = arguments.folder / arguments.version
    release.verify(folder)  # before any of its files is opened: a release may come from another machine
    database.build_release(folder, arguments.output, paths.REFERENCE)
    return 0


def _unpack(arguments: argparse.Namespace) -> int:
    from spindlemark.release.unpack import unpack  # slow to load, and not needed by the other actions

    release.order(arguments.version)
    count = unpack(arguments.folder / arguments.version, arguments.output)
    print(f"{arguments.output}: {count} files")
    return 0


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UserError(f"--date {text}: is not a date", "write it in the form 2026-11-21") from None


if __name__ == "__main__":
    command(main)
