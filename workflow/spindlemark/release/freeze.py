"""Freezing: what was measured becomes a folder that never changes again. All of it or nothing."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
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

KERNELS = "envs/kernels.yaml"


def freeze(
    version: str,
    records: list[Path],
    database: Path,
    findings: Path,
    output: Path,
    released: date | None,
    profile: str,
    config: Path = paths.CONFIG,
    code: Path = paths.PROJECT,
    joined: Path | None = None,
) -> Path:
    """Write the release `version` below `output` and return its folder.

    `records` are the raw results with their specs beside them; `database` and `findings` were made from exactly these;
    `released` defaults to the UTC day on which the last of them ended. Of `code`, where it is a repository, the commit
    is recorded. `joined` is what bundles of other machines say, which are frozen with it. The bytes depend on these
    inputs alone.
    Raises UserError for a bad version, one of another month, an existing one, nothing to release, inputs that do not
    agree or a program that is not committed; OSError or duckdb.Error on a full or read-only disk. Then nothing is left
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
        _fill(folder, version, day, commit, read, database, findings, profile, config)
    return final


def check_new(version: str, output: Path = paths.RELEASES) -> None:
    """Raises UserError when `version` is no version or is released already."""
    order(version)
    if (output / version).exists():
        further = f"{version}.1" if version.count(".") == 1 else f"{version.rpartition('.')[0]}.N with a higher N"
        raise UserError(f"{output / version}: exists, and a release is never rewritten", f"release it as {further}")


def check_month(version: str, day: date) -> None:
    """Raises UserError unless `version` is named for the month of `day`, on which it is released."""
    if month(version) != (day.year, day.month):
        raise UserError(
            f"{version}: the release is of {day}, and a version is named for its month",
            f"call it {day:%Y.%m}, or {day:%Y.%m}.N for a further release of the month",
        )


def _check(read: list[tuple[Path, Record]], database: Path, findings: Path) -> None:
    """Nothing is released that is empty, fails a check, or has findings of another set of records."""
    # Imported here: DuckDB and SciPy take a second to load, and listing versions does without.
    from spindlemark.analysis.findings.model import Findings
    from spindlemark.release import tables

    if not any(record.status == "ok" for _, record in read):
        raise UserError("there is nothing to release: no repetition succeeded", "measure with: ./spindlemark run")
    tables.check(database, [record for _, record in read])
    try:
        report = Findings.model_validate_json(findings.read_bytes())
    except FileNotFoundError:
        raise UserError(f"{findings}: no such file", "make it with: ./spindlemark site") from None
    except ValidationError as error:
        raise UserError(f"{findings}: {error.errors()[0]['msg']}", "build it again with: ./spindlemark site") from None
    told = {cell.identity for group in report.groups for metric in group.metrics for cell in metric.cells}
    succeeded = {record.identity for _, record in read if record.status == "ok"}
    if told != succeeded:
        raise UserError(
            f"{findings}: is about other experiments than the plan", "build it again with: ./spindlemark site"
        )


def _fill(
    folder: Path,
    version: str,
    day: date,
    code: manifest.Code | None,
    read: list[tuple[Path, Record]],
    database: Path,
    findings: Path,
    profile: str,
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
    measured = summarise([record for _, record in read], profile)
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
    """The commit of the program, its rules, and the kernels of its virtual machines by hash: to measure again."""
    found = code_state.read(code)
    if found:
        code_state.pack_workflow(code, folder / code_state.WORKFLOW)
    if (code / KERNELS).exists():
        _copy(code / KERNELS, folder / KERNELS)
    return found


def _with_spec(path: Path, record: Record) -> Iterator[tuple[str, bytes]]:
    """Path in the records file and content, of a record and of the spec next to it."""
    e = record.experiment
    place = f"{e.testbed}/{e.family}/{e.experiment}/{record.identity}"
    spec = path.parent / "spec.json"
    read_spec(spec)
    yield f"{place}/spec.json", spec.read_bytes()
    yield f"{place}/{path.name}", path.read_bytes()


def _copy_joined(joined: Path, folder: Path, bundles: Path = paths.JOINED) -> None:
    """What other machines said, and their bundles as they lie in data/joined; nothing where nobody joined."""
    from spindlemark.release.contributions import replication_model

    said = [bundle for machine in replication_model.read(joined).machines for bundle in machine.bundles]
    for bundle in said:
        _copy(bundles / bundle.file, folder / "joined" / bundle.file)
        if hashlib.sha256((folder / "joined" / bundle.file).read_bytes()).hexdigest() != bundle.sha256:
            raise UserError(
                f"{bundles / bundle.file}: differs from the analysed contribution",
                "build it again with: ./spindlemark site",
            )
    if said:
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
    """Hold a lock on the folder itself: a second release waits, and no lock file is left behind."""
    descriptor = os.open(output, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _partial(partial: Path, final: Path) -> Iterator[Path]:
    """A folder that becomes `final` when all went well, and is removed otherwise, as are leftovers of a kill."""
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
    """Contents reach the disk before the folder gets its name."""
    for path in [folder, *folder.rglob("*")]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
