"""Builds sites from synthetic records: what a version, a release and several of them together look like."""

import atexit
import json
import os
import shutil
import tempfile
from datetime import date
from pathlib import Path

import duckdb
import factory

from spindlemark import database, findings, release
from spindlemark.paths import REFERENCE
from spindlemark.publish import pages, site
from spindlemark.publish.sources import Sources
from spindlemark.reference import audit, statistics

STABILITY = 0.2
STUDIED: list[Path] = []


def records(root: Path, repetitions: int = 5, **how) -> list[Path]:
    """All settings under all libraries, with one that is unsupported, one that failed and one variant."""
    found = factory.write_all(root, repetitions, **how)
    found += factory.write(root, factory.experiment("jfs", "picture"), 3, status="unsupported")
    found += factory.write(root, factory.experiment("btrfs", "sound", "zstd"), 3, status="failed")
    return found + factory.write(root, factory.experiment("xfs", "sound", "noatime"), 4)


def inputs(found: list[Path], folder: Path) -> tuple[Path, Path]:
    """Database, with the published studies, and findings of the records."""
    folder.mkdir(parents=True, exist_ok=True)
    target, report = folder / "spindlemark.duckdb", folder / "findings.json"
    database.build(found, target, REFERENCE)
    computed = findings.compute(target, findings.load(), STABILITY)
    report.write_text(computed.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return target, report


def freeze(root: Path, version: str, day: date, releases: Path, **how) -> None:
    """One release below `releases`, from fresh records below `root`."""
    found = records(root, **how)
    target, report = inputs(found, root / "build")
    release.freeze(version, found, target, report, releases, day, "quick")


def build(root: Path, version: str, releases: Path, target: Path, report: Path) -> Path:
    """HTML of one version; returns its folder."""
    versions = [json.loads(v.model_dump_json()) for v in release.versions(releases)]
    sources = Sources(version, versions, target, report, *studied(target), root / "data" / "raw", releases)
    made = root / version / "pages"
    made.mkdir(parents=True)
    pages.build(sources, made)
    html = root / version / "html"
    site.build(made, html)
    return html


def studied(target: Path) -> tuple[Path, Path]:
    """Audit and statistics of the studies; computed once, since every database holds the same studies."""
    if not STUDIED:
        folder = Path(tempfile.mkdtemp(prefix="spindlemark-studied-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        with duckdb.connect(str(target), read_only=True) as connection:
            (folder / "audit.json").write_text(audit.audit(connection).model_dump_json(), encoding="utf-8")
        computed = statistics.compute(target, findings.load(), STABILITY)
        (folder / "published.json").write_text(computed.model_dump_json(), encoding="utf-8")
        STUDIED.extend([folder / "audit.json", folder / "published.json"])
    return STUDIED[0], STUDIED[1]


def build_release(root: Path, version: str, releases: Path) -> Path:
    """HTML of a frozen release, from nothing but its own folder."""
    target = root / version / "spindlemark.duckdb"
    os.makedirs(target.parent, exist_ok=True)
    database.build(database.released(releases / version), target, REFERENCE)
    return build(root, version, releases, target, releases / version / "findings.json")
