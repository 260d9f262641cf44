"""Export: this machine's records, or those of a release, as a contribution without personal data."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from spindlemark.analysis import database
from spindlemark.core import host, migrations, paths
from spindlemark.core.errors import UserError
from spindlemark.core.record import Record, parse_record, read_record, records_in
from spindlemark.release.contributions import anonymise, archive
from spindlemark.release.contributions.machine import Machine, of


@dataclass(frozen=True)
class Packed:
    """A contribution before it is written, with the summary that the user confirms."""

    about: archive.Manifest
    content: bytes
    records: list[Record]
    removed: Mapping[str, int]
    remaining: set[str]


def records(release: str | None = None) -> list[Record]:
    """Read the records of a release, or all in data/raw; raises UserError if one is damaged or there are none."""
    if release:
        from spindlemark.release.versions import order

        order(release)
        return [parse_record(text, path)[0] for path, text in database.released(paths.RELEASES / release)]
    found = [path for folder in sorted(paths.RAW.glob("*/*/*/*")) for path in records_in(folder)]
    if not found:
        raise UserError(
            "there is nothing to export: there are no results",
            "measure with: ./spindlemark run, or name a release with --release",
        )
    return [read_record(path) for path in found]


def chosen(found: Sequence[Record], session: str | None, machine: str | None) -> list[Record]:
    """Select the records of one session and one machine; raises UserError with the choices if there are none."""
    if session is not None:
        known = sorted({migrations.session(each.environment) for each in found} - {""})
        found = [each for each in found if migrations.session(each.environment) == session]
        if not found:
            raise UserError(
                f"--session {session}: there are no results of it", f"there are: {', '.join(known) or 'none'}"
            )
    machines = Counter(of(each.experiment.fingerprint) for each in found)
    one = _one(machines, machine)
    return [each for each in found if of(each.experiment.fingerprint) == one]


def pack(found: Sequence[Record], known: Mapping[str, str] | None = None) -> Packed:
    """Return the contribution of `found` without personal data. `known` replaces the names of this machine (name -> its kind).

    Raises UserError if it has more values than an import accepts.
    """
    known = anonymise.names_here() if known is None else known
    scrubber = anonymise.Scrubber(known)
    clean = [scrubber.record(record) for record in found]
    about, content = archive.pack(clean)
    remaining = {what for record in found for what in anonymise.remaining(record, known)}
    return Packed(about, content, clean, {what: n for what, n in scrubber.removed.items() if n}, remaining)


def require_folder(target: Path) -> None:
    """Raise UserError if the folder of the file `target` does not exist; nothing is read or packed before."""
    if not target.is_dir() and not target.parent.is_dir():
        raise UserError(f"--output {target}: there is no folder {target.parent}", "create it, or name another file")


def write(packed: Packed, target: Path) -> Path:
    """Write the contribution to the file or folder `target`; raises UserError if another file exists there."""
    path = target
    try:
        if target.is_dir():
            path = target / archive.name(packed.about)
        with path.open("xb") as file:
            file.write(packed.content)
    except FileExistsError:
        if _has(path, packed.content):
            return path
        raise UserError(f"{path}: exists", "name another file with --output") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}", "name another file with --output") from None
    return path


def _has(path: Path, content: bytes) -> bool:
    with suppress(OSError):
        return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content
    return False


def _one(machines: Mapping[Machine, int], wanted: str | None) -> Machine:
    named = {each.id: each for each in machines}
    if wanted is not None and re.fullmatch("[0-9a-f]{8}", wanted) and wanted in named:
        return named[wanted]
    here = [each for each in machines if each.host and each.host == host.identity()]
    if wanted is None and (len(named) == 1 or len(here) == 1):
        return here[0] if len(here) == 1 else next(iter(machines))
    there = ", ".join(f"{each.id} ({each.name}: {count} records)" for each, count in machines.items())
    if wanted is None:
        raise UserError(
            "a contribution contains one machine, but there are several", f"name one with --machine: {there}"
        )
    raise UserError(f"--machine {wanted}: there are no results of it", f"there are: {there}")
