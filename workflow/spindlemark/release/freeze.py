"""Freezing: measurements become a folder that never changes again, completely or not at all."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date
from pathlib import Path

from pydantic import ValidationError

from spindlemark.core import compressed, paths, records_file
from spindlemark.core.errors import UserError
from spindlemark.core.record import Record, read_record, read_spec
from spindlemark.release import code_state, contents, manifest, readme, reproduce
from spindlemark.release.citation import formats as citation
from spindlemark.release.record_summary import summarise
from spindlemark.release.version_name import month, order


def freeze(
    version: str,
    records: list[Path],
    database: Path,
    findings: Path,
    output: Path,
    released: date | None,
    profiles: Mapping[str, list[str]],
    config: Path = paths.CONFIG,
    code: Path = paths.PROJECT,
    joined: Path | None = None,
) -> Path:
    """Write the release `version` below `output` and return its folder.

    `records` are the raw results, with their specs in the same folders; `database` and `findings` were made from exactly
    these; `released` defaults to the UTC day on which the last of them ended. If `code` is a repository, its commit is
    recorded. `profiles` has the families that were measured with each profile. `joined` contains the replications of
    other machines, whose contributions are frozen too. The bytes depend only on these inputs.
    Raises UserError for an invalid or existing version, one of another month, nothing to release, inputs that do not
    match or a program that is not committed; OSError or duckdb.Error on a full or read-only disk. Then nothing is left
    behind.
    """
    check_new(version, output)
    final = output / version
    output.mkdir(parents=True, exist_ok=True)
    with _alone(output), _partial(output / f".{version}.partial", final) as folder:
        read = [(path, read_record(path)) for path in sorted(set(records))]
        _check(read, database, findings)
        day = released or _last_day(read)
        if day < _last_day(read):
            raise UserError(f"--date {day}: the last repetition ended on {_last_day(read)}", "give a later date")
        check_month(version, day)
        commit = _take_code(code, folder)
        if joined:
            _copy_joined(joined, folder)
        _fill(folder, version, day, commit, read, database, findings, profiles, config)
    return final


def check_new(version: str, output: Path = paths.RELEASES) -> None:
    """Raise UserError if `version` is not a valid version or exists already."""
    order(version)
    if (output / version).exists():
        further = f"{version}.1" if version.count(".") == 1 else f"{version.rpartition('.')[0]}.N with a higher N"
        raise UserError(
            f"{output / version}: exists, and a release is never changed",
            f"release other results as {further}; ./spindlemark site adds this one to the site",
        )


def check_month(version: str, day: date) -> None:
    """Raise UserError if `version` is not named for the month of `day`, its day of release."""
    if month(version) != (day.year, day.month):
        raise UserError(
            f"{version}: the day of release is {day}, and a version is named for its month",
            f"call it {day:%Y.%m}, or {day:%Y.%m}.N for a further release of the month",
        )


def _check(read: list[tuple[Path, Record]], database: Path, findings: Path) -> None:
    """Raise UserError if there are no results, a check fails, or the findings are of other records."""
    # Imported here: DuckDB and SciPy take a second to load, and listing versions does not need them.
    from spindlemark.analysis.database import require_plausible
    from spindlemark.analysis.findings.model import Findings
    from spindlemark.release import tables

    if not any(record.status == "ok" for _, record in read):
        raise UserError("there is nothing to release: no repetition succeeded", "measure with: ./spindlemark run")
    tables.check(database, [record for _, record in read])
    require_plausible(database)
    try:
        report = Findings.model_validate_json(findings.read_bytes())
    except FileNotFoundError:
        raise UserError(f"{findings}: no such file", "make it with: ./spindlemark site") from None
    except ValidationError as error:
        raise UserError(f"{findings}: {error.errors()[0]['msg']}", "build it again with: ./spindlemark site") from None
    analysed = {cell.identity for group in report.groups for metric in group.metrics for cell in metric.cells}
    succeeded = {record.identity: _place(record) for _, record in read if record.status == "ok"}
    # Sessions of one experiment under several kernels have an identity each, and a cell has that of the newest.
    if not analysed <= succeeded.keys() or {succeeded[each] for each in analysed} != set(succeeded.values()):
        raise UserError(f"{findings}: has other experiments than the plan", "build it again with: ./spindlemark site")


def _place(record: Record) -> tuple[str, str, str]:
    return record.experiment.testbed, record.experiment.family, record.experiment.experiment


def _fill(
    folder: Path,
    version: str,
    day: date,
    code: manifest.Code | None,
    read: list[tuple[Path, Record]],
    database: Path,
    findings: Path,
    profiles: Mapping[str, list[str]],
    config: Path,
) -> None:
    from spindlemark.analysis.findings import findings_files
    from spindlemark.release import tables

    records = dict(each for path, record in read for each in _with_spec(path, record))
    records_file.write(folder / records_file.NAME, records)
    tables.export(database, folder)
    (folder / findings_files.RELEASED).write_bytes(compressed.compress(findings.read_bytes()))
    for path in sorted(config.rglob("*.yaml")):
        if contents.is_known(name := f"config/{path.relative_to(config).as_posix()}"):
            _copy(path, folder / name)
    about = citation.load(config / "citation.yaml")
    measured = summarise([record for _, record in read], profiles)
    for name, text in citation.files(about, version, day, measured).items():
        _write(folder / name, text)
    again = reproduce.commands(folder, version, measured, code)
    _write(folder / "README.md", readme.text(about, version, day, measured, again))
    whole = manifest.Manifest(
        version=version,
        former=None,
        released=day,
        measured=measured,
        code=code,
        files=manifest.describe(folder),
        records=[manifest.of_record(path, content) for path, content in sorted(records.items())],
    )
    manifest.check(whole, folder.parent / version / manifest.NAME)
    _write(folder / manifest.NAME, whole.model_dump_json(indent=1) + "\n")


def _take_code(code: Path, folder: Path) -> manifest.Code | None:
    """Record the program's commit, its rules and the hashes of its virtual machines' kernels, to measure again."""
    found = code_state.read(code)
    if found:
        code_state.pack_workflow(code, folder / code_state.WORKFLOW)
    for pinned in contents.PACKAGES:
        if (code / pinned).exists():
            _copy(code / pinned, folder / pinned)
    return found


def _with_spec(path: Path, record: Record) -> Iterator[tuple[str, bytes]]:
    """Yield path in the records file and content of a record and of its spec."""
    e = record.experiment
    place = f"{e.testbed}/{e.family}/{e.experiment}/{record.identity}"
    spec = path.parent / "spec.json"
    read_spec(spec)
    yield f"{place}/spec.json", spec.read_bytes()
    yield f"{place}/{path.name}", path.read_bytes()


def _copy_joined(joined: Path, folder: Path, contributions: Path = paths.JOINED) -> None:
    """Copy the replications and contributions of other machines, unchanged; nothing if there are none."""
    from spindlemark.release.contributions import replication_model

    found = [each for machine in replication_model.read(joined).machines for each in machine.contributions]
    for each in found:
        _copy(contributions / each.file, folder / "joined" / each.file)
        if hashlib.sha256((folder / "joined" / each.file).read_bytes()).hexdigest() != each.sha256:
            raise UserError(
                f"{contributions / each.file}: differs from the analysed contribution",
                "build it again with: ./spindlemark site",
            )
    if found:
        _copy(joined, folder / "joined.json")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


def _last_day(read: list[tuple[Path, Record]]) -> date:
    return max(record.finished_at for _, record in read).astimezone(UTC).date()


@contextmanager
def _alone(output: Path) -> Iterator[None]:
    """Lock the folder itself: a second release waits, and no lock file is left."""
    descriptor = os.open(output, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _partial(partial: Path, final: Path) -> Iterator[Path]:
    """Yield a folder that becomes `final` on success and is removed on failure; remove that of a killed process first."""
    check_new(final.name, final.parent)  # again: another release may have held the lock
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        yield partial
        _flush(partial)
        partial.rename(final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _flush(folder: Path) -> None:
    """Write the contents to the disk before the folder gets its name."""
    for path in [folder, *folder.rglob("*")]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
