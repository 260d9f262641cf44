"""Small sites as `assemble` leaves them, of releases made by hand: for tests of what is done with a whole site."""

import json
from datetime import date
from pathlib import Path

from citing import measured
from spindlemark.core import records_file
from spindlemark.release import manifest
from spindlemark.release import versions as release
from spindlemark.site import record_packs, site_root

ADDRESS = "https://spindlemark.example/media/"
HEAD = '<!DOCTYPE html><meta name="generator" content="Spindlemark">'
NOT_THERE = f'{HEAD}<details class="switch" data-versions="/../versions.json"></details><a href="/">start</a>'
RECORD = "loop/file_creation/ext4+m0--one/0123456789ab/rep-1.json"


def freeze(releases: Path, version: str) -> Path:
    """A folder with a few files and a true manifest of them."""
    folder = releases / version
    for name, text in {"README.md": version, "measurements.parquet": f"value\n{version}\n"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    records_file.write(folder / records_file.NAME, {RECORD: b"{}"})
    return describe(folder, version)


def describe(folder: Path, version: str) -> Path:
    """Write the manifest of what lies in the folder."""
    (folder / manifest.NAME).unlink(missing_ok=True)
    whole = manifest.Manifest(
        version=version,
        former=None,
        released=date(2026, 11, 22),
        measured=measured(),
        code=None,
        files=manifest.describe(folder),
        records=[manifest.of_record(path, content) for path, content in manifest.records(folder)],
    )
    (folder / manifest.NAME).write_text(whole.model_dump_json())
    return folder


def build(site: Path, releases: Path, words: str = "") -> Path:
    """The site of all releases; `words` stand on each page."""
    listed = [json.loads(v.model_dump_json()) for v in release.versions(releases)]
    newest = listed[0]["version"]
    for at, v in enumerate(listed):
        own = site / v["version"]
        for older in listed[at + 1 :]:
            (page := own / "versions" / older["version"] / "index.html").parent.mkdir(parents=True)
            page.write_text(HEAD + words)
        for source in (releases / v["version"]).rglob("*.*"):
            name = source.relative_to(releases / v["version"]).as_posix()
            place = f"download/{name}"
            (own / place).parent.mkdir(parents=True, exist_ok=True)
            (own / place).write_bytes(source.read_bytes())
        record_packs.write_together(list(record_packs.packed(manifest.records(releases / v["version"]))), site)
        (own / "index.html").write_text(
            f'{HEAD}{words}<a href="download/README.md">data</a><link rel="canonical" href="{ADDRESS}{v["version"]}/">'
        )
    (site / "index.html").write_text(f'{HEAD}{words}<a href="{newest}/">newest</a>')
    (site / "404.html").write_text(NOT_THERE)
    site_root.write(site, newest, listed, ADDRESS, "/media/")
    return site
