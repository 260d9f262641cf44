"""Files on offer: a release's own files unchanged, or exports of unreleased results; raw records; checksums."""

import re
import shutil
from pathlib import Path
from typing import Any

from spindlemark.analysis.findings import findings_files
from spindlemark.analysis.format import number
from spindlemark.release import manifest, tables
from spindlemark.site import address
from spindlemark.site.query import Row
from spindlemark.site.sources import Sources

Page = dict[str, Any]
ABOUT = {
    "spindlemark-": "the whole release in one file, a RO-Crate: records, tables, runs, citation, all that follows here",
    "repetitions": "every repetition: status, and why it is not ok",
    "records": "every record and spec with its bytes, one row each",
    "workflow": "the rules of the workflow that froze this version",
    "format-": "what `release unpack` needs to restore the files that this version had under its former name",
    "measurements": "every measured number, one row each",
    "factors": "what was set, per experiment",
    "environment": "the machine, per repetition",
    "commands": "every command as run",
    "validity": "every validity gate",
    "claims": "every claim of the published studies, with its verdict",
    "findings": "statistics, tiers and recommendations, as shown here",
    "joined": "what other machines say, each judged by itself",
    "manifest": "SHA-256 and size of every file of the release",
    "CITATION": "citation as it was frozen, before it had an address",
    "citation": "the same",
    "README": "what the release holds",
}


def records(found: list[Row], sources: Sources, static: Path) -> None:
    """Copy raw records, and the spec next to them, untouched to where the pages offer them."""
    offered = {row["path"]: static / address.raw(row) for row in found}
    offered |= {
        f"{path.rpartition('/')[0]}/spec.json": target.with_name("spec.json") for path, target in offered.items()
    }
    for target in offered.values():
        target.parent.mkdir(parents=True, exist_ok=True)
    if sources.frozen:
        for path, content in manifest.records(sources.frozen):
            if path in offered:
                offered[path].write_bytes(content)
    else:
        for path, target in offered.items():
            shutil.copyfile(sources.raw / path, target)


def offer(sources: Sources, static: Path) -> list[Page]:
    """Put the data files below `static/download` and list them with size and SHA-256, the one with all others first.

    A release's files are copied as they are, so that their checksums are those of its manifest, and no file that it does
    not list. Its findings are there as JSON too, and its tables as CSV.
    """
    folder = static / "download"
    folder.mkdir(parents=True, exist_ok=True)
    if frozen := sources.frozen:
        listed = [file.path for file in manifest.read(frozen).files if "/" not in file.path]
        for name in [*listed, manifest.NAME]:
            shutil.copyfile(frozen / name, folder / name)
        (folder / "findings.json").write_bytes(findings_files.content(frozen))
    else:
        tables.export(sources.database, folder)
        shutil.copyfile(sources.findings, folder / "findings.json")
    tables.spreadsheets(folder)
    own = [*manifest.describe(folder), *_manifest_itself(folder)]
    return [
        {
            "path": f"download/{file.path}",
            "name": file.path,
            "media_type": file.media_type,
            "bytes": file.bytes,
            "size": number(file.bytes, "B"),
            "sha256": file.sha256,
            "about": _about(file.path),
        }
        for file in [*_whole(sources.crate, folder), *own]
    ]


def _whole(crate: Path | None, folder: Path) -> list[manifest.File]:
    """The release as one file, which is none of its files."""
    if crate is None:
        return []
    shutil.copyfile(crate, folder / crate.name)
    return [manifest.of_file(folder, crate.name)]


def _about(name: str) -> str:
    text = ABOUT.get(re.split(r"[0-9.]", name)[0], "")
    kind = {"bib": "BibTeX", "ris": "RIS", "csl.json": "CSL-JSON", "datacite.json": "DataCite JSON"}
    return f"{text} as {kind[name.split('.', 1)[1]]}" if name.startswith("citation.") else text


def _manifest_itself(folder: Path) -> list[manifest.File]:
    """The one file that a manifest cannot list; its own checksum is shown here."""
    return [manifest.of_file(folder, manifest.NAME)] if (folder / manifest.NAME).exists() else []
