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
    "spindlemark-": "the whole release in one file, an RO-Crate: records, tables, runs, citation and all files below",
    "repetitions": "every repetition: status, and the reason if it is not ok",
    "records": "every record and spec with its bytes, one row each",
    "workflow": "the rules of the workflow that froze this version",
    "format-": "needed by `release unpack` to restore the files that this version had under its former name",
    "measurements": "every measured number, one row each",
    "factors": "settings, per experiment",
    "environment": "the machine, per repetition",
    "commands": "every command",
    "validity": "every validity check",
    "claims": "every claim of the published studies, with its verdict",
    "findings": "statistics, tiers and recommendations, as shown here",
    "joined": "conclusions of other machines, each analysed separately",
    "manifest": "SHA-256 and size of every file of the release",
    "CITATION": "citation as frozen, before the release had an address",
    "citation": "the same citation",
    "README": "content of the release",
}


def records(found: list[Row], sources: Sources, static: Path) -> None:
    """Copy raw records and the specs next to them, unchanged, to their addresses."""
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
    """Put the data files below `static/download` and list them with size and SHA-256, the whole release first.

    Only files in a release's manifest are copied, unchanged, so their checksums match it. Findings are added as JSON,
    tables as CSV.
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
    """The release as one file, which its manifest does not list."""
    if crate is None:
        return []
    shutil.copyfile(crate, folder / crate.name)
    return [manifest.of_file(folder, crate.name)]


def _about(name: str) -> str:
    text = ABOUT.get(re.split(r"[0-9.]", name)[0], "")
    kind = {"bib": "BibTeX", "ris": "RIS", "csl.json": "CSL-JSON", "datacite.json": "DataCite JSON"}
    return f"{text} as {kind[name.split('.', 1)[1]]}" if name.startswith("citation.") else text


def _manifest_itself(folder: Path) -> list[manifest.File]:
    """The manifest, which cannot list itself; pages show its checksum."""
    return [manifest.of_file(folder, manifest.NAME)] if (folder / manifest.NAME).exists() else []
