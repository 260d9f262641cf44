"""Files on offer: a release's own files unchanged, or exports of unreleased results; checksums."""

import re
import shutil
from pathlib import Path
from typing import Any

from spindlemark.analysis.findings import findings_files
from spindlemark.analysis.format import number
from spindlemark.core import records_file
from spindlemark.release import manifest, tables
from spindlemark.site.sources import Sources

Page = dict[str, Any]
ABOUT = {
    "repetitions": "every repetition: status, and the reason if it is not ok",
    "workflow": "the rules of the workflow that froze this version",
    "format-": "needed by `release unpack` to restore the files that this version had under its former name",
    "measurements": "every measured number, one row each",
    "factors": "settings, per experiment",
    "environment": "the machine, per repetition",
    "commands": "every command",
    "validity": "every validity check",
    "claims": "every claim of the published studies, with its verdict",
    "joined": "conclusions of other machines, each analysed separately",
    "manifest": "SHA-256 and size of every file of the release",
    "CITATION": "citation as frozen, before the release had an address",
    "citation": "the same citation",
    "README": "content of the release",
}

# The largest files, whose content the site has in parts: they are in the archive of a release.
LEFT_OUT = (records_file.NAME, findings_files.RELEASED)


def offer(sources: Sources, static: Path) -> list[Page]:
    """Put the data files below `static/download` and list them with size and SHA-256.

    Only files in a release's manifest are copied, unchanged, so their checksums match it; without those in LEFT_OUT.
    Tables as CSV are below `tables`, next to `static`; the page makes them from Parquet.
    """
    folder = static / "download"
    folder.mkdir(parents=True, exist_ok=True)
    if frozen := sources.frozen:
        listed = [
            file.path for file in manifest.read(frozen).files if "/" not in file.path and file.path not in LEFT_OUT
        ]
        for name in [*listed, manifest.NAME]:
            shutil.copyfile(frozen / name, folder / name)
    else:
        tables.export(sources.database, folder)
    spreadsheets = {f"{made.stem}.parquet" for made in tables.spreadsheets(folder, static.parent / "tables")}
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
            "spreadsheet": file.path in spreadsheets,
        }
        for file in own
    ]


def _about(name: str) -> str:
    text = ABOUT.get(re.split(r"[0-9.]", name)[0], "")
    kind = {"bib": "BibTeX", "ris": "RIS", "csl.json": "CSL-JSON", "datacite.json": "DataCite JSON"}
    return f"{text} as {kind[name.split('.', 1)[1]]}" if name.startswith("citation.") else text


def _manifest_itself(folder: Path) -> list[manifest.File]:
    """The manifest, which cannot list itself; pages show its checksum."""
    return [manifest.of_file(folder, manifest.NAME)] if (folder / manifest.NAME).exists() else []
