"""Unpacking: a release as plain files, as in format 1."""

import json
import shutil
import tempfile
from pathlib import Path

from spindlemark.analysis.findings import findings_files
from spindlemark.core import compressed, paths, project, records_file
from spindlemark.core.errors import UserError, as_user_error
from spindlemark.core.record import Closed
from spindlemark.release import code_state, manifest, tables, zip_archive
from spindlemark.release.manifest import File, Manifest

FORMER = "format-1.json.zst"
CODE = "code.zip"
FINDINGS = "findings.json"
RECORDS = "records"
MOST_BYTES = 64 << 20  # of the list of files of format 1


class FormerFiles(Closed):
    """Facts to restore format 1: each file except the records, and the texts that changed since."""

    files: list[File]
    texts: dict[str, str]


def unpack(folder: Path, output: Path, code: Path = paths.PROJECT) -> int:
    """Write the release in `folder` as plain files to the new folder `output`; returns the number of files.

    A release that had format 1 is restored byte for byte, with its former manifest. Its program comes from the git
    repository in `code`. Raises UserError for a damaged release, an existing folder, a commit that the repository
    lacks, a file that cannot be restored, and a folder that cannot be written; then nothing is left behind.
    """
    whole = manifest.verify(folder)
    try:
        if output.exists():
            raise UserError(f"{output}: exists", "name a new folder with --output")
        return _unpack(folder, whole, output, code)
    except OSError as error:
        raise as_user_error(error) or UserError(
            f"{output}: cannot be written: {error.strerror}", "name another folder with --output"
        ) from None


def _unpack(folder: Path, whole: Manifest, output: Path, code: Path) -> int:
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as made:
        work = Path(made) / output.name
        work.mkdir()
        for path, content in manifest.records(folder):
            _write(work / RECORDS / path, content)
        if whole.former:
            _restore(folder, whole, work, code)
        else:
            _plain(folder, whole, work)
        count = sum(path.is_file() for path in work.rglob("*"))
        work.rename(output)
    return count


def _plain(folder: Path, whole: Manifest, work: Path) -> None:
    """Write each file of the release, and findings and tables also as JSON and CSV."""
    for path in (manifest.NAME, *(file.path for file in whole.files if file.path != records_file.NAME)):
        _write(work / path, (folder / path).read_bytes())
    _write(work / FINDINGS, findings_files.content(folder))
    tables.spreadsheets(work, work)


def _restore(folder: Path, whole: Manifest, work: Path, code: Path) -> None:
    """Restore the files and the manifest of format 1, and compare each with its checksum."""
    former = FormerFiles.model_validate_json(
        compressed.read(folder / FORMER, MOST_BYTES, "restore this release from git")
    )
    for file in former.files:
        target = work / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.path in former.texts:
            target.write_bytes(former.texts[file.path].encode())
        elif file.path == FINDINGS:
            target.write_bytes(findings_files.content(folder))
        elif file.path == CODE:
            _pack_code(whole, target, code)
        elif target.suffix == ".csv":
            tables.to_csv((folder / file.path).with_suffix(".parquet"), target)
        else:
            shutil.copyfile(folder / file.path, target)
        if manifest.of_file(work, file.path) != file:
            raise UserError(
                f"{folder}: {file.path} cannot be restored byte for byte with the programs installed here",
                "use the versions of uv.lock, and Python with the zlib of zlib.net",
            )
    (work / manifest.NAME).write_bytes(former_manifest(folder, whole, former))
    if manifest.of_file(work, manifest.NAME).sha256 != (whole.former and whole.former.manifest_sha256):
        raise UserError(f"{folder}: the manifest of format 1 cannot be restored", "restore this release from git")


def former_manifest(folder: Path, whole: Manifest, former: FormerFiles) -> bytes:
    """Return the bytes of the manifest of format 1."""
    listed = [
        File(path=f"{RECORDS}/{each.path}", bytes=each.bytes, sha256=each.sha256, media_type="application/json")
        for each in whole.records
    ]
    content = {
        "manifest_format": 1,
        "version": whole.former and whole.former.version,
        "released": whole.released.isoformat(),
        # As written, without keys that later versions of the model add.
        "measured": json.loads((folder / manifest.NAME).read_bytes())["measured"],
        "files": [file.model_dump() for file in sorted([*former.files, *listed], key=lambda file: file.path)],
    }
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def _pack_code(whole: Manifest, target: Path, code: Path) -> None:
    """Write the program of the release's commit as a zip archive."""
    commit = whole.code.commit if whole.code else ""
    found = project.snapshot(code, commit, code_state.DATA) if commit else None
    if not found:
        raise UserError(f"{code}: has no commit {commit}", "fetch the whole history: git fetch --unshallow")
    with tempfile.TemporaryDirectory() as made:
        for name, (content, runs) in found.items():
            _write(Path(made) / name, content)
            (Path(made) / name).chmod(0o755 if runs else 0o644)
        zip_archive.pack(target, {name: Path(made) / name for name in found})


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
