"""Every stage of publishing on a disk that is full, fills up, or cannot be written: told in one line, nothing lost."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import built
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.release import versions as release
from spindlemark.site import watchdog

STAGES = ("database", "findings", "statistics", "audit", "vega", "versions", "pages", "html", "assemble")
FOLDERS = ("pages", "html", "assemble")


@pytest.fixture(scope="module")
def commands(made, tmp_path_factory):
    """stage -> words after `python -m spindlemark.`; `OUTPUT` stands for what it writes."""
    target, report = made / "build/spindlemark.duckdb", made / "build/findings.json"
    audit, published = built.studied(target)
    versions = tmp_path_factory.mktemp("versions") / "versions.json"
    versions.write_text(json.dumps([json.loads(v.model_dump_json()) for v in release.versions(made / "releases")]))
    return {
        "database": ["release", "--folder", made / "releases", "database", "2026.11", "--output", "OUTPUT"],
        "findings": ["analysis.findings", target, "--stability", "0.2", "--output", "OUTPUT"],
        "statistics": ["analysis.studies.statistics", target, "--stability", "0.2", "--output", "OUTPUT"],
        "audit": ["analysis.studies.audit", target, "--output", "OUTPUT"],
        "vega": ["site.vega_script", "--output", "OUTPUT"],
        "versions": ["release", "--folder", made / "releases", "versions", "--output", "OUTPUT"],
        "pages": [
            "site",
            target,
            report,
            "--audit",
            audit,
            "--published",
            published,
            "--vega",
            built.vega_script(),
            "--version",
            "current",
            "--versions",
            versions,
            "--output",
            "OUTPUT",
            "--raw",
            made / "data/raw",
            "--releases",
            made / "releases",
        ],
        "html": [
            "site.hugo",
            "--pages",
            made / "2026.11/pages",
            "--engine",
            built.sql_engine(),
            "--output",
            "OUTPUT",
        ],
        "assemble": [
            "site.assemble",
            "--root",
            "2026.11",
            "--output",
            "OUTPUT",
            "--versions",
            versions,
            f"2026.11={made / '2026.11/html'}",
        ],
    }


@pytest.fixture
def small(tmp_path, needs_root):
    """A disk of 200 KiB."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def fill(folder: Path) -> None:
    with (folder / "fill").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(folder).free)


def call(words: list, output: Path) -> subprocess.CompletedProcess:
    module, *others = [str(output) if word == "OUTPUT" else str(word) for word in words]
    return subprocess.run(
        [sys.executable, "-m", f"spindlemark.{module}", *others], cwd=ROOT, text=True, capture_output=True, check=False
    )


def previous(stage: str, output: Path) -> Path:
    """What an earlier run left: a folder with one file, or a file."""
    old = output / "index.html" if stage in FOLDERS else output
    old.parent.mkdir(exist_ok=True)
    old.write_text("old")
    return old


@pytest.mark.parametrize("state", ["full", "fills up", "read-only"])
@pytest.mark.parametrize("stage", STAGES)
def test_it_is_told_and_what_there_was_stays(commands, small, stage, state):
    output = small / "output"
    old = previous(stage, output)
    if state == "full":
        fill(small)
    elif state == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", small], check=True)
    elif stage in ("versions", "audit"):
        pytest.skip("what it writes is smaller than the disk")
    before = sorted(small.rglob("*"))
    done = call(commands[stage], output)
    assert done.returncode == 2, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    told, remedy = done.stderr.strip().splitlines()[-2:]
    assert f"the disk is {'read-only' if state == 'read-only' else 'full'}" in told and str(small) in told
    assert "run the same command again" in remedy
    assert old.read_text() == "old"
    assert sorted(small.rglob("*")) == before, "something was left behind"


def test_a_program_that_waits_on_a_full_disk_is_ended(small):
    """Hugo does so in a fifth of all tries; this one does so always."""
    fill(small)
    done = watchdog.run([*programs.PYTHON, "-c", "import time; time.sleep(1000)"], dict(os.environ), small)
    assert done.returncode and done.stderr == f"{small}: no space left on device\n"
