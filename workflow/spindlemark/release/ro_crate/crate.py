"""Crate: a release as one RO-Crate file, which data repositories accept and describe by themselves.

It contains the unchanged release in a folder with the version's name, and files for reading, citing, depositing and repeating it.
Its bytes depend only on the release and its record of publication.
"""

import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from spindlemark.analysis import database
from spindlemark.core import paths, records_file
from spindlemark.core.atomic_write import partial
from spindlemark.core.errors import UserError
from spindlemark.core.record import parse_record
from spindlemark.release import code_state, manifest, publication, reproduce, zip_archive
from spindlemark.release.citation import formats as citation
from spindlemark.release.ro_crate import descriptions, metadata, table_columns
from spindlemark.release.ro_crate.runs import Run

RECORDS = "records"
README = """\
# {title}, version {version}

{cite}

This file is a RO-Crate. `{version}/` is the release, byte for byte; `{version}/README.md` says what is in it.

| file | holds |
|---|---|
| `ro-crate-metadata.json` | each repetition, failed ones too: who ran it, by which commands, where, with which result |
| `datapackage.json`, `croissant.json` | the columns of the tables, for frictionless and for mlcroissant |
| `CITATION.cff`, `citation.*`, `.zenodo.json` | how to cite and deposit this version, as known when this was made |
{more}
## Measure it again

In a clone of the project, on a Debian-like Linux machine with Python 3.11 and root:

```sh
{again}
```
"""


def make(version: str, output: Path, releases: Path = paths.RELEASES, publications: Path = paths.PUBLICATIONS) -> None:
    """Write the crate of `version` to `output`.

    Raises UserError for a version that is missing or was changed, and for an invalid record of publication.
    """
    folder = releases / version
    publication.path(version)  # rejects names that are not versions, which could lead to other folders
    whole = manifest.verify(folder)
    about = publication.read(version, publications).of(citation.load(folder / "config/citation.yaml"))
    with tempfile.TemporaryDirectory(prefix="spindlemark-crate-") as made:
        work = Path(made)
        files = {f"{version}/{file.path}": folder / file.path for file in whole.files}
        files[f"{version}/{manifest.NAME}"] = folder / manifest.NAME
        found, added = table_columns.read(folder, f"{version}/", work)
        files |= added | _records(folder, work) | _workflow(folder, work)
        texts = citation.files(about, version, whole.released, whole.measured) | {
            "README.md": _readme(about, whole, folder, added),
            "croissant.json": _json(descriptions.croissant(about, whole, found)),
            "datapackage.json": _json(descriptions.datapackage(about, whole, found)),
            ".zenodo.json": _json(citation.zenodo(about, version, whole.released, whole.measured)),
        }
        for path, text in texts.items():
            (work / path).write_bytes(text.encode())
        files |= {path: work / path for path in texts}
        described = {path: manifest.of_file(*_place(path, file)) for path, file in files.items()}
        graph = metadata.graph(
            about,
            whole,
            described,
            _runs(folder),
            f"{version}/config/",
            "code/Snakefile" if "code/Snakefile" in files else None,
        )
        with partial(output) as target:
            zip_archive.pack(target, files | {f"{version}/config/": b"", metadata.NAME: _json(graph).encode()})


def _runs(folder: Path) -> list[Run]:
    found = []
    for path, content in database.released(folder):
        name = path.relative_to(folder / records_file.NAME)
        record, _ = parse_record(content, path)
        found.append(Run(record, f"{RECORDS}/{name.as_posix()}", f"{RECORDS}/{name.with_name('spec.json').as_posix()}"))
    return found


def _records(folder: Path, work: Path) -> dict[str, Path]:
    """Write each spec and record as a file, to which runs refer; return path in the crate -> file."""
    found = {}
    for path, content in manifest.records(folder):
        found[f"{RECORDS}/{path}"] = target = work / RECORDS / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return found


def _workflow(folder: Path, work: Path) -> dict[str, Path]:
    """Write the rules of the workflow that froze the release; return path in the crate -> file."""
    packed = folder / code_state.WORKFLOW
    if not packed.exists():
        return {}
    with zipfile.ZipFile(packed) as code:
        wanted = [n for n in code.namelist() if n == "Snakefile" or code_state.is_rule(n)]
        for each in wanted:
            target = work / "code" / each
            if not target.resolve().is_relative_to(work.resolve()):
                raise UserError(f"{packed}: {each!r} leads out of the archive", "do not use this release")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(code.read(each))
    return {f"code/{each}": work / "code" / each for each in wanted}


def _place(path: str, file: Path) -> tuple[Path, str]:
    """Return a file's folder and its path below that, the arguments of `manifest.of_file`."""
    return file.parents[path.count("/")], path


def _readme(about: citation.Citation, whole: manifest.Manifest, folder: Path, added: dict[str, Path]) -> str:
    made = ", ".join(f"`{name}`" for name in sorted(added))
    more = [
        f"| {made} | tables of the release for spreadsheets, and the repetitions where it has no such table |",
        f"| `{RECORDS}/` | each spec and record of `{whole.version}/{records_file.NAME}` as a file of its own |",
    ]
    if (folder / code_state.WORKFLOW).exists():
        more.append(f"| `code/` | the rules of the workflow, from `{whole.version}/{code_state.WORKFLOW}` |")
    return README.format(
        title=about.title,
        version=whole.version,
        cite=citation.sentence(about, whole.version, whole.released),
        more="".join(f"{line}\n" for line in more),
        again="\n".join(reproduce.commands(folder, whole.version, whole.measured, whole.code)),
    )


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
