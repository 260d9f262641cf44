"""Manifest: each file and record of a release with its checksum, and the check that none has changed."""

import hashlib
import os
import stat
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from pydantic import Field, ValidationError

from spindlemark.core import records_file
from spindlemark.core.errors import UserError
from spindlemark.core.migrations import MANIFEST_FORMAT
from spindlemark.core.record import Closed
from spindlemark.release import contents
from spindlemark.release.citation.citation_model import Measured
from spindlemark.release.version_name import is_version, order

NAME = "manifest.json"
MEDIA_TYPES = {
    ".json": "application/json",
    ".csv": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
    ".md": "text/markdown",
    ".cff": "application/yaml",
    ".yaml": "application/yaml",
    ".bib": "application/x-bibtex",
    ".ris": "application/x-research-info-systems",
    ".gz": "application/gzip",
    ".zip": "application/zip",
    ".zst": "application/zstd",
}
SHOWN = 5
HASH = "^[0-9a-f]{40}$"
MOST_BYTES = 64 << 20  # of a manifest: a hundred times the largest so far


class File(Closed):
    """One file of a release, with the facts to check a copy of it."""

    path: str = Field(description="relative to the release, with / between folders")
    bytes: int
    sha256: str
    media_type: str


class RecordFile(Closed):
    """One spec or raw result in the records file, with the bytes that were written when it was measured."""

    path: str = Field(description="testbed/family/experiment/identity/name")
    bytes: int
    sha256: str


class Former(Closed):
    """The name of this release in format 1, whose files `release unpack` restores."""

    version: str
    manifest_sha256: str = Field(description="SHA-256 of the manifest of format 1, which lists every file")


class Code(Closed):
    """The program that froze the release, as git names it."""

    commit: str = Field(pattern=HASH)
    tree: str = Field(pattern=HASH, description="hash of the commit's files, the same in every copy of them")


class Manifest(Closed):
    """Each file of a release except the manifest itself, and each record in its records file, sorted by path."""

    manifest_format: int = MANIFEST_FORMAT
    version: str
    former: Former | None
    released: date
    measured: Measured
    code: Code | None = Field(description="null if the program was not run from its repository")
    files: list[File]
    records: list[RecordFile]


class Version(Closed):
    """One line of the list of versions."""

    version: str
    former: str | None = Field(description="former name of the version")
    released: date
    statement: str
    experiments: int
    repetitions: int
    newest: bool


def describe(folder: Path) -> list[File]:
    """Return size and SHA-256 of each file below `folder` except its manifest, sorted by path."""
    return [of_file(folder, path) for path in sorted(_present(folder)) if path != NAME]


def read(folder: Path) -> Manifest:
    """Read the manifest of a release; raises UserError if it is missing, damaged or lists an invalid name."""
    path = folder / NAME
    try:
        about = path.lstat()
        # Checked before it is opened: reading a pipe would never end.
        if not stat.S_ISREG(about.st_mode):
            raise UserError(f"{path}: is not a regular file", _restore(folder))
        if about.st_size > MOST_BYTES:
            raise UserError(f"{path}: is too large for a manifest", _restore(folder))
        whole = Manifest.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path}: no such release", "data/releases/ contains the existing versions") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(f"{path}: {key}: {first['msg']}", _restore(folder)) from None
    check(whole, path)
    return whole


def check(whole: Manifest, path: Path) -> None:
    """Raise UserError if `whole`, the manifest at `path`, has an unknown format or lists an invalid name."""
    if whole.manifest_format != MANIFEST_FORMAT:
        raise UserError(
            f"{path}: manifest_format {whole.manifest_format}: this program reads {MANIFEST_FORMAT}",
            "use the version of the program that froze it",
        )
    for key, listed, allowed in (
        ("files", whole.files, contents.is_known),
        ("records", whole.records, contents.is_record),
    ):
        if found := contents.problem((each.path for each in listed), allowed):
            raise UserError(
                f"{path}: {key}: {found}",
                f"do not use this release, because ./spindlemark never lists such a name; remove {path.parent}",
            )


def verify(folder: Path) -> Manifest:
    """Check every file against the manifest; raises UserError naming missing, additional and changed files."""
    manifest = read(folder)
    if folder.resolve().name != manifest.version:
        raise UserError(f"{folder}: its manifest is of version {manifest.version}", _restore(folder))
    expected = {file.path: file for file in manifest.files}
    present = _present(folder) - {NAME}
    problems = [f"{path} is missing" for path in sorted(expected.keys() - present)]
    problems += [f"{path} does not belong to the release" for path in sorted(present - expected.keys())]
    problems += [
        f"{path} was changed" for path in sorted(present & expected.keys()) if of_file(folder, path) != expected[path]
    ]
    problems = problems or _record_problems(folder, manifest)
    if problems:
        more = f" and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise UserError(f"{folder}: {'; '.join(problems[:SHOWN])}{more}", _restore(folder))
    return manifest


def records(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of every spec and record of the release in `folder`."""
    return records_file.read(folder / records_file.NAME, _restore(folder))


def _record_problems(folder: Path, manifest: Manifest) -> list[str]:
    """List the records of the records file that differ from the manifest."""
    expected = {each.path: each for each in manifest.records}
    found = {path: of_record(path, content) for path, content in records(folder)}
    return [
        f"{path} in {records_file.NAME} differs from the manifest"
        for path in sorted(expected.keys() | found.keys())
        if expected.get(path) != found.get(path)
    ]


def of_record(path: str, content: bytes) -> RecordFile:
    """Return size and SHA-256 of one record."""
    return RecordFile(path=path, bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


def versions(folder: Path) -> list[Version]:
    """List the releases in `folder`, newest first; none if the folder is absent. Raises UserError for a damaged manifest."""
    found = folder.iterdir() if folder.is_dir() else ()
    # A folder without a manifest is not a release; a broken link counts as one, and reading it is an error.
    names = [path.name for path in found if is_version(path.name) and os.path.lexists(path / NAME)]
    manifests = [read(folder / name) for name in sorted(names, key=order, reverse=True)]
    return [
        Version(
            version=m.version,
            former=m.former.version if m.former else None,
            released=m.released,
            statement=m.measured.statement,
            experiments=m.measured.experiments,
            repetitions=m.measured.repetitions,
            newest=position == 0,
        )
        for position, m in enumerate(manifests)
    ]


def _present(folder: Path) -> set[str]:
    """Return the paths of everything except folders, including links and special files."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()}


def of_file(folder: Path, path: str) -> File:
    """Return size and SHA-256 of one file; raises UserError if it is not a regular file."""
    whole = folder / path
    if whole.is_symlink() or not whole.is_file():
        raise UserError(f"{whole}: is not a regular file", _restore(folder))
    with whole.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return File(
        path=path,
        bytes=whole.stat().st_size,
        sha256=digest,
        media_type=MEDIA_TYPES.get(whole.suffix, "application/octet-stream"),
    )


def _restore(folder: Path) -> str:
    return f"a release never changes; restore it with: git checkout -- {folder}"
