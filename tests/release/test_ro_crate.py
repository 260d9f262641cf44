"""A release as one file: the same bytes each time, whole, and valid by every validator that the field has for it."""

import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import frictionless
import mlcroissant
import pytest

import factory
import validating
from spindlemark.analysis import database, findings
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.core.process.programs import find
from spindlemark.release import contents, publication
from spindlemark.release import versions as release
from spindlemark.release.ro_crate import crate

VERSION = "2026.11.9"
SAID = publication.Publication(
    site="https://example.org/media", repository="https://example.org/code", doi="10.5281/zenodo.11"
)
WORKFLOW = ["workflow-run-crate"]  # which asks for all that Process Run Crate, Workflow RO-Crate and RO-Crate ask for


def made(root: Path, code: Path) -> Path:
    """The folder of a release with failures, of two sessions, with its code."""
    paths_ = [p for fs in ("ext4", "xfs") for p in factory.write(root, factory.experiment(fs), 3)]
    paths_ += factory.write(root, factory.experiment("jfs"), 2, status="unsupported")
    for path in paths_:
        content = json.loads(path.read_text())
        content["environment"] |= {
            "session.id": f"2026-11-2{content['repetition'] % 2}",
            "project.commit": "0123456789abcdef",
        }
        path.write_text(json.dumps(content))
    build, report = root / "data.duckdb", root / "findings.json"
    database.build(paths_, build)
    report.write_text(findings.compute(build, findings.load(), 0.2).model_dump_json(indent=1) + "\n")
    return release.freeze(VERSION, paths_, build, report, root / "releases", None, {"quick": []}, code=code)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A project with one release and its record of publication; beside it the repository of its code."""
    if find("git") is None:
        pytest.skip("needs git")
    root = tmp_path_factory.mktemp("project")
    code = root / "code"
    for name in ("Snakefile", "rules/release.smk", "spindlemark", "envs/kernels.yaml"):
        (code / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(paths.PROJECT / name, code / name)
    git = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org", "-C", code]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "One"]):
        subprocess.run([*git, *words], check=True)
    (code / "notes.txt").write_text("of nobody's business")
    made(root, code)
    publication.add(VERSION, SAID, root / "publications")
    return root


@pytest.fixture(scope="module")
def packed(root):
    crate.make(VERSION, root / "a.zip", root / "releases", root / "publications")
    return root / "a.zip"


@pytest.fixture(scope="module")
def unpacked(packed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    return folder


def test_the_same_release_gives_the_same_bytes_elsewhere_and_later(root, packed):
    code = (
        "import sys; from pathlib import Path; from spindlemark.release.ro_crate import crate; root = Path(sys.argv[1]); "
        "crate.make(sys.argv[2], root / 'b.zip', root / 'releases', root / 'publications')"
    )
    environment = os.environ | {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", code, str(root), VERSION], check=True, cwd=root, env=environment)
    assert (root / "b.zip").read_bytes() == packed.read_bytes()


def test_it_holds_the_release_byte_for_byte_and_what_lies_beside_it(root, unpacked):
    assert release.verify(unpacked / VERSION) == release.read(root / "releases" / VERSION)
    assert "10.5281/zenodo.11" in (unpacked / "CITATION.cff").read_text()
    assert "10.5281" not in (unpacked / VERSION / "CITATION.cff").read_text(), "a released file learns nothing"
    deposit = json.loads((unpacked / ".zenodo.json").read_text())
    assert (deposit["upload_type"], deposit["license"], deposit["version"]) == ("dataset", "cc-by-4.0", VERSION)
    assert {"relation": "isCompiledBy", "identifier": SAID.repository, "resource_type": "software"} in deposit[
        "related_identifiers"
    ]
    assert (unpacked / "code/Snakefile").read_bytes() == (paths.PROJECT / "Snakefile").read_bytes()
    with zipfile.ZipFile(unpacked / VERSION / "workflow.zip") as code:
        assert code.namelist() == ["Snakefile", "rules/release.smk"], "the rest of the program is a commit"


def issues(where: Path, profiles: list[str]) -> list[dict]:
    return validating.validate("ro_crate", where, *profiles)


def test_it_is_a_workflow_run_crate(packed):
    found = {(issue["severity"], issue["message"]) for issue in issues(packed, WORKFLOW)}
    assert found <= {("RECOMMENDED", "The SoftwareApplication id SHOULD be an absolute URI")}


def test_the_validator_notices_what_is_missing(unpacked, tmp_path):
    folder = tmp_path / "crate"
    shutil.copytree(unpacked, folder)
    (folder / "measurements.csv").unlink()
    metadata = json.loads((folder / "ro-crate-metadata.json").read_text())
    for entity in metadata["@graph"]:
        entity.pop("programmingLanguage", None)
    (folder / "ro-crate-metadata.json").write_text(json.dumps(metadata))
    messages = [issue["message"] for issue in issues(folder, WORKFLOW) if issue["severity"] == "REQUIRED"]
    assert any("measurements.csv" in text for text in messages) and any(
        "programmingLanguage" in text for text in messages
    )


def test_runs_say_who_what_with_which_result(unpacked):
    graph = {e["@id"]: e for e in json.loads((unpacked / "ro-crate-metadata.json").read_text())["@graph"]}
    actions = [e for e in graph.values() if e["@type"] == "CreateAction"]
    failed = [a for a in actions if a["actionStatus"].endswith("FailedActionStatus")]
    assert len(failed) == 2 and all(a["error"] == "unsupported: made unsupported by the test" for a in failed)
    sessions = [a for a in actions if a["@id"].startswith("#session/")]
    assert len(sessions) == 2 and len(actions) == 10
    assert sum(len(s["result"]) for s in sessions) == 8 and {s["instrument"]["@id"] for s in sessions} == {
        "code/Snakefile"
    }
    facts = {graph[f["@id"]]["name"]: graph[f["@id"]]["value"] for f in sessions[0]["environment"]}
    assert facts["kernel.release"] == "6.18.0-test" and facts["cpu.count"] == 2
    one = next(a for a in actions if a["@id"].startswith("#repetition/loop/filesystem_lifecycle/ext4--picture/"))
    assert "cp -a /source/. /target" in one["description"] and graph[one["agent"]["@id"]]["@type"] == "Organization"
    assert (unpacked / one["result"]["@id"]).exists() and (unpacked / one["object"]["@id"]).exists()


def test_croissant_is_valid_and_reads_every_table(unpacked):
    described = mlcroissant.Dataset(jsonld=str(unpacked / "croissant.json"))
    assert not described.metadata.ctx.issues.errors and not described.metadata.ctx.issues.warnings
    assert {s.id for s in described.metadata.record_sets} == set(contents.TABLES)
    rows = list(described.records("repetitions"))
    assert len(rows) == 8 and sum(row["repetitions/status"] == b"unsupported" for row in rows) == 2


def test_the_data_package_is_valid_and_a_wrong_value_is_noticed(unpacked, tmp_path):
    report = frictionless.validate(str(unpacked / "datapackage.json"))
    assert report.valid and report.stats["tasks"] == len(list(unpacked.glob("*.csv"))) == 5
    folder = tmp_path / "crate"
    shutil.copytree(unpacked, folder)
    path = folder / "repetitions.csv"
    path.write_text(path.read_text().replace(",1,ok,", ",one,ok,", 1))
    wrong = frictionless.validate(str(folder / "datapackage.json"))
    assert {error.type for task in wrong.tasks for error in task.errors} >= {"type-error", "hash-count"}


def test_a_release_without_the_table_of_repetitions_gets_it_beside(tmp_path):
    """2026.11 was frozen before failures had a table, and before a release held its code."""
    before = {
        p: hashlib.sha256(p.read_bytes()).digest() for p in (paths.RELEASES / "2026.11").rglob("*") if p.is_file()
    }
    crate.make("2026.11", tmp_path / "a.zip", publications=tmp_path / "none")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        rows = list(csv.DictReader(archive.read("repetitions.csv").decode().splitlines()))
        resources = json.loads(archive.read("datapackage.json"))["resources"]
    assert len(rows) == 100 and {row["status"] for row in rows} == {"ok"}
    assert {r["name"]: r["path"] for r in resources}["repetitions"] == "repetitions.csv"
    assert before == {p: hashlib.sha256(p.read_bytes()).digest() for p in before}


def test_what_is_no_release_or_was_changed_is_refused(root, tmp_path):
    for version in ("../releases", "2026.10"):
        with pytest.raises(UserError):
            crate.make(version, tmp_path / "a.zip", root / "releases")
    shutil.copytree(root / "releases" / VERSION, tmp_path / VERSION)
    (tmp_path / VERSION / "README.md").write_text("x")
    with pytest.raises(UserError, match=r"README\.md was changed"):
        crate.make(VERSION, tmp_path / "a.zip", tmp_path)
    assert not (tmp_path / "a.zip").exists()
