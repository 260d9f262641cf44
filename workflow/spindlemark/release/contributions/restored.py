"""Restore this machine's own records from a contribution to `data/raw/`, for example into a new clone."""

import os
from pathlib import Path

from spindlemark.core import host, paths
from spindlemark.core.errors import UserError
from spindlemark.core.record import Record, Spec, read_record
from spindlemark.core.record_store import write_once, write_spec
from spindlemark.release.contributions import checks
from spindlemark.release.contributions.archive import Contribution


def restore(found: Contribution, records: list[Record], root: Path | None = None) -> int:
    """Write each record that is not there yet, and the spec of its experiment; return the number of records written.

    Nothing is overwritten.

    Raises UserError, before anything is written, if the contribution is of another machine, or if other results have the same numbers.
    """
    if found.about.machine.host is None or found.about.machine.host != host.identity():
        raise UserError(
            f"{found.path}: its results are of another machine", "import it without --restore: machines are kept apart"
        )
    folder, missing, specs = root or paths.RAW, [], {}
    for record, (place, text) in zip(records, checks.rows(records), strict=True):
        path = folder / place
        specs[path.with_name("spec.json")] = Spec(identity=record.identity, experiment=record.experiment)
        if not path.exists():
            missing.append((path, text, record.finished_at.timestamp()))
        elif read_record(path).started_at != record.started_at:
            raise UserError(
                f"{path}: is another result with the same number", "restore into a clone without newer results"
            )
    # A plan writes the specs of today's kernel and tools only; without its spec a result is in no release.
    for path, spec in specs.items():
        write_spec(path, spec)
    for path, text, finished in missing:
        write_once(path, text)
        os.utime(path, (finished, finished))  # of several identities of an experiment, the newest is published
    return len(missing)
