"""Packing: this machine's records, or those of a release, as a bundle that names nobody."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
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
    """A bundle before it is written, with what its owner is asked about."""

    about: archive.About
    content: bytes
    records: list[Record]
    taken: Mapping[str, int]
    standing: set[str]


def records(release: str | None = None) -> list[Record]:
    """The records of a release, or all in data/raw; raises UserError for damaged ones and where there are none."""
    if release:
        from spindlemark.release.versions import order

        order(release)
        return [parse_record(text, path)[0] for path, text in database.released(paths.RELEASES / release)]
    found = [path for folder in sorted(paths.RAW.glob("*/*/*/*")) for path in records_in(folder)]
    if not found:
        raise UserError(
            "there is nothing to pack: nothing was measured here",
            "measure with: ./spindlemark run, or name a release with --release",
        )
    return [read_record(path) for path in found]


def chosen(found: Sequence[Record], session: str | None, machine: str | None) -> list[Record]:
    """Those of one session and one machine; raises UserError naming what there is, where the choice is none."""
    if session is not None:
        known = sorted({migrations.session(each.environment) for each in found} - {""})
        found = [each for each in found if migrations.session(each.environment) == session]
        if not found:
            raise UserError(
                f"--session {session}: nothing was measured in it", f"there are: {', '.join(known) or 'none'}"
            )
    machines = Counter(of(each.experiment.fingerprint) for each in found)
    one = _one(machines, machine)
    return [each for each in found if of(each.experiment.fingerprint) == one]


def pack(found: Sequence[Record], known: Mapping[str, str] | None = None) -> Packed:
    """The bundle of `found`, without what may name a person; `known`: names of this machine, instead of its own."""
    known = anonymise.names_here() if known is None else known
    scrubber = anonymise.Scrubber(known)
    clean = [scrubber.record(record) for record in found]
    about, content = archive.pack(clean)
    standing = {what for record in found for what in anonymise.standing(record, known)}
    return Packed(about, content, clean, {what: n for what, n in scrubber.taken.items() if n}, standing)


def write(packed: Packed, target: Path) -> Path:
    """Write the bundle to `target`, below its own name where that is a folder; raises UserError for what is there."""
    path = target / archive.name(packed.about) if target.is_dir() else target
    try:
        with path.open("xb") as file:
            file.write(packed.content)
    except FileExistsError:
        if path.is_file() and path.read_bytes() == packed.content:
            return path
        raise UserError(f"{path}: exists", "name another file with --output") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}", "name another file with --output") from None
    return path


def _one(machines: Mapping[Machine, int], wanted: str | None) -> Machine:
    named = {each.id: each for each in machines}
    if wanted is not None and re.fullmatch("[0-9a-f]{8}", wanted) and wanted in named:
        return named[wanted]
    here = [each for each in machines if each.host and each.host == host.identity()]
    if wanted is None and (len(named) == 1 or len(here) == 1):
        return here[0] if len(here) == 1 else next(iter(machines))
    there = ", ".join(f"{each.id} ({each.name}: {count} records)" for each, count in machines.items())
    if wanted is None:
        raise UserError("a bundle holds one machine, and these are several", f"name one with --machine: {there}")
    raise UserError(f"--machine {wanted}: nothing was measured on it", f"there are: {there}")
