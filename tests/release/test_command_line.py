"""`python -m spindlemark.release` as the workflow calls it, on a project of its own."""

import json
import os
import shutil
import subprocess
import sys

import pytest

import factory
from spindlemark.analysis import database, findings
from spindlemark.core import paths
from spindlemark.core.record import join_parts
from spindlemark.measure import plan


def call(root, *words):
    return subprocess.run(
        [sys.executable, "-m", "spindlemark.release", *map(str, words)],
        cwd=root,
        text=True,
        capture_output=True,
        check=False,
        env=os.environ | {"SPINDLEMARK_ROOT": str(root)},
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A measured project: plan of two experiments with two repetitions, records, database, findings."""
    root = tmp_path_factory.mktemp("project")
    for name in ("config", "workflow", "envs"):
        (root / name).symlink_to(paths.ROOT / name)
    experiments = [factory.experiment(fs) for fs in ("ext4", "xfs")]
    records = [path for e in experiments for path in factory.write(root, e, 2)]
    planned = [
        plan.Planned(
            experiment=e.experiment,
            workload=join_parts(e.workload),
            family=e.family,
            testbed=e.testbed,
            kind="loop",
            identity=e.identity(),
            spec=str(paths.spec_path(e.testbed, e.family, e.experiment, e.identity())),
            repetitions=2,
            records=[str(r.relative_to(root)) for r in records if e.identity() in str(r)],
        )
        for e in experiments
    ]
    whole = plan.Plan(
        profile="quick", seed=1, experiments=planned, stability={"relative_width": 0.2, "most_repetitions": 15}
    )
    (root / "data/build").mkdir()
    (root / "data/build/plan.json").write_text(whole.model_dump_json())
    database.build(records, root / "data/build/db.duckdb")
    report = findings.compute(root / "data/build/db.duckdb", findings.load(), 0.2)
    (root / "data/build/findings.json").write_text(report.model_dump_json())
    return root


def freeze(project, *words):
    return call(
        project,
        "freeze",
        *words,
        "--database",
        "data/build/db.duckdb",
        "--findings",
        "data/build/findings.json",
        "--code",
        ".",
    )


def test_from_freezing_to_tampering(project):
    done = freeze(project, "2026.11", "--date", "2026-11-30")
    assert done.returncode == 0, done.stderr
    assert call(project, "verify").stdout.startswith("2026.11: ")
    assert call(project, "versions", "--output", "data/build/versions.json").returncode == 0
    (listed,) = json.loads((project / "data/build/versions.json").read_text())
    assert (listed["version"], listed["released"], listed["newest"]) == ("2026.11", "2026-11-30", True)
    again = freeze(project, "2026.11")
    assert again.returncode == 2 and "never changed" in again.stderr and "Traceback" not in again.stderr
    (project / "data/releases/2026.11/measurements.parquet").write_text("made up")
    for words in (("verify",), ("verify", "2026.11"), ("versions", "--output", "data/build/v.json")):
        told = call(project, *words)
        assert told.returncode == 2 and "measurements.parquet was changed" in told.stderr
    assert not (project / "data/build/v.json").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("2026.13",), "not a version"),
        (("2026.11.2", "--date", "30.11.2026"), "is not a date"),
        (("2026.11.2", "--plan", "data/build/none.json"), "no plan yet"),
    ],
)
def test_bad_requests_end_with_two(project, words, told):
    done = freeze(project, *words)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr


def test_a_plan_with_unmeasured_repetitions_is_refused(project):
    text = (project / "data/build/plan.json").read_text().replace("rep-2.json", "rep-3.json")
    (project / "data/build/more.json").write_text(text)
    done = freeze(project, "2026.11.2", "--plan", "data/build/more.json")
    assert done.returncode == 2 and "2 of 4 repetitions are not measured yet" in done.stderr
    assert not (project / "data/releases/2026.11.2").exists()


def test_verifying_what_is_no_version_touches_nothing(project):
    assert "not a version" in call(project, "verify", "../..").stderr
    assert "no such release" in call(project, "verify", "2020.01").stderr


@pytest.mark.parametrize("state", ["full", "fills up", "read-only"])
def test_a_disk_that_takes_no_release_is_told_in_one_line(project, tmp_path, needs_root, state):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60k", "tmpfs", tmp_path], check=True)
    try:
        (tmp_path / "2026.10").mkdir()
        if state == "full":
            with (tmp_path / "fill").open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(tmp_path).free)
        elif state == "read-only":
            subprocess.run(["mount", "-o", "remount,ro", tmp_path], check=True)
        before = sorted(tmp_path.rglob("*"))
        done = call(
            project,
            "--folder",
            tmp_path,
            "freeze",
            "2026.11",
            "--database",
            "data/build/db.duckdb",
            "--findings",
            "data/build/findings.json",
            "--code",
            ".",
        )
        assert done.returncode == 2 and "Traceback" not in done.stderr
        assert f"the disk is {'read-only' if state == 'read-only' else 'full'}" in done.stderr
        assert str(tmp_path) in done.stderr
        assert sorted(tmp_path.rglob("*")) == before
    finally:
        subprocess.run(["umount", tmp_path], check=True)
