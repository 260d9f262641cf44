"""Builds sites from synthetic records: what a version, a release and several of them together look like."""

import atexit
import json
import shutil
import tempfile
from datetime import date
from functools import cache
from pathlib import Path

import duckdb

import factory
import factory_families
from spindlemark.analysis import database, findings
from spindlemark.analysis.studies import audit, statistics
from spindlemark.core.paths import BUILD, REFERENCE
from spindlemark.release import versions as release
from spindlemark.site import hugo, pages
from spindlemark.site import sql_engine as fetched
from spindlemark.site import vega_script as vega
from spindlemark.site.sources import Sources

STABILITY = 0.2
PUBLIC = "https://spindlemark.example/media/"  # below a path of a host
ELSEWHERE = "https://example.org/"
TUNED = {
    "ext4": ["+m0", "+m0-inodes", "+optimized", "@bfq"],
    "xfs": ["+log64m", "+log128m", "@kyber"],
    "btrfs": ["+nodatacow", "+single", "+dup", "@bfq"],
}
WORKLOADS = {
    "file_creation": ["one-64-gb--direct", "20-files-100mb--cached"],
    "storage_profile": [""],
    "concurrent_streams": ["25-mbit"],
    "aging": [""],
}
STUDIED: list[Path] = []


def records(root: Path, repetitions: int = 5, **how) -> list[Path]:
    """All settings under all libraries, with one that is unsupported, one that failed and one variant."""
    found = factory.write_all(root, repetitions, **how)
    found += factory.write(root, factory.experiment("jfs", "picture"), 3, status="unsupported")
    found += factory.write(root, factory.experiment("btrfs", "sound", "zstd"), 3, status="failed")
    return found + factory.write(root, factory.experiment("xfs", "sound", "noatime"), 4)


def families(root: Path, repetitions: int = 3, **how) -> list[Path]:
    """What the second release adds: tuned settings, schedulers, every other family, and two kernels in a machine."""
    tuned = [f"{fs}{setting}" for fs, settings in TUNED.items() for setting in settings]
    exps = [factory_families.configured("filesystem_lifecycle", subject, "picture") for subject in tuned]
    exps += [
        factory_families.configured(family, subject, workload)
        for family, workloads in WORKLOADS.items()
        for workload in workloads
        for subject in ("ext4", "ext4+m0", "xfs@bfq", "btrfs")
    ]
    exps += [
        factory_families.in_machine(factory_families.configured("filesystem_lifecycle", subject, "picture"), bed)
        for subject in ("ext4", "xfs", "btrfs", "jfs", "reiserfs", "reiserfs+writeback")
        for bed in ("vm", "vm-6.12")
    ]
    return [path for exp in exps for path in factory.write(root, _with_rate(exp), repetitions, **how)]


def _with_rate(exp):
    """The same experiment; one of streams with the rate of each stream."""
    if exp.family != "concurrent_streams":
        return exp
    rate = {"name": "25-mbit", "bytes_per_second": 3_125_000.0}
    return exp.model_copy(update={"factors": exp.factors | {"rate": rate}})


def inputs(found: list[Path], folder: Path) -> tuple[Path, Path]:
    """Database, with the published studies, and findings of the records."""
    folder.mkdir(parents=True, exist_ok=True)
    target, report = folder / "spindlemark.duckdb", folder / "findings.json"
    database.build(found, target, REFERENCE)
    computed = findings.compute(target, findings.load(), STABILITY)
    report.write_text(computed.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return target, report


def freeze(root: Path, version: str, day: date, releases: Path, more: bool = False, **how) -> None:
    """One release below `releases`, from fresh records below `root`; `more`: with every family and testbed."""
    found = records(root, **how) + (families(root, **how) if more else [])
    target, report = inputs(found, root / "build")
    release.freeze(version, found, target, report, releases, day, {"quick": []}, code=root)


def build(root: Path, version: str, releases: Path, target: Path, report: Path) -> Path:
    """HTML of one version; returns its folder."""
    told = releases / version / "joined.json"
    sources = Sources(
        version,
        listed(releases),
        target,
        report,
        *studied(target),
        vega_script(),
        root / "data" / "raw",
        releases,
        joined=told if told.exists() else None,
    )
    made = root / version / "pages"
    made.mkdir(parents=True)
    pages.build(sources, made)
    html = root / version / "html"
    hugo.build(made, sql_engine(), html)
    return html


def listed(releases: Path) -> list[dict]:
    """The list of releases, newest first."""
    return [json.loads(v.model_dump_json()) for v in release.versions(releases)]


@cache
def vega_script() -> Path:
    """The script of the charts; made once, since every version has the same."""
    folder = Path(tempfile.mkdtemp(prefix="spindlemark-vega-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "vega.js").write_text(vega.bundle(), encoding="utf-8")
    return folder / "vega.js"


@cache
def sql_engine() -> Path:
    """What answers SQL in a browser: the project's own where it has one, by the lock of now, else fetched."""
    folder = BUILD / "test-sql-engine"
    lock, stamp = (fetched.LOCKED / "package-lock.json").read_bytes(), folder / "locked"
    if not stamp.exists() or stamp.read_bytes() != lock:
        fetched.fetch(folder)
        stamp.write_bytes(lock)
    return folder


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
    target.parent.mkdir(parents=True, exist_ok=True)
    database.build_release(releases / version, target, REFERENCE)
    return build(root, version, releases, target, releases / version / "findings.json.zst")
