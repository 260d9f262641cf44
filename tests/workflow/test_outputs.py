"""Records are outputs of the workflow: what Snakemake says of them is true, and nothing that it does loses one."""

import json
import shutil

import pytest

from project import CELLS, Project, leftovers

SNAKEMAKE = ".venv/bin/snakemake --workflow-profile workflow/profiles/default"


@pytest.fixture
def project(measured):
    measured.link_environment()
    return measured


def said(project: Project, words: str, code: int = 0) -> str:
    process = project.shell(f"{SNAKEMAKE} {words}")
    out, _ = process.communicate(timeout=900)
    assert process.returncode == code, f"{words}\n{out}"
    return out


def removed(project: Project, number: int = 0) -> str:
    """Remove one record; returns its path."""
    victim = f"data/raw/{sorted(project.records())[number]}"
    (project.root / victim).unlink()
    return victim


def test_one_record_is_a_target(project):
    kept, other = removed(project, 0), removed(project, 1)
    said(project, kept)
    assert (project.root / kept).exists() and not (project.root / other).exists()
    assert leftovers(project.root) == []
    environment = json.loads((project.root / kept).read_text())["environment"]
    assert environment["run.round"].endswith(".1") and environment["run.looks"] == 0


def test_a_dry_run_names_what_is_missing_and_why(project):
    victim = removed(project)
    out = said(project, "-n measured")
    assert f"Measure {victim}: new" in out and "Missing output files" in out
    assert "Try testbed loop" in out and out.count("Measure data/raw/") == 1
    project.replace("config/filesystems.yaml", "  mkfs: [mkfs.ext4, -q, -F, ", "  mkfs: [mkfs.ext4, -q, -F, -m, '1', ")
    out = said(project, "-n measured")
    assert out.count("changed: factors.filesystem.mkfs") == 1, "of the other one no record is left"
    assert out.count(": new") == 1 and "Write the plan" in out


def test_graphs_summaries_and_lists_show_the_records(project):
    victim = removed(project)
    graph = said(project, "measured --dag")
    assert graph.count("measure_filesystem_lifecycle") == CELLS and graph.count('label = "trial') == 1
    rows = {line.split("\t")[0]: line.split("\t")[-2:] for line in said(project, "measured --summary").splitlines()}
    assert rows[victim] == ["missing", "update pending"]
    others = [f"data/raw/{record}" for record in project.records()]
    assert len(others) == CELLS - 1 and all(rows[record] == ["ok", "no update"] for record in others)
    rules = said(project, "--list").split()
    assert {"measured", "trial", "measure_filesystem_lifecycle", "measure_aging", "findings"} <= set(rules)


def test_the_report_shows_the_main_tables_and_charts(project):
    said(project, "--report report.html --config measure=false")
    report = (project.root / "report.html").read_text()
    assert "measurements.csv" in report and "Tables" in report
    items = ("charts/all/recommendation.png", "charts/filesystem_lifecycle/", '"Charts"')
    assert [item for item in items if item not in report] == []


@pytest.mark.parametrize("words", ["-F measured", "-f measured --rerun-incomplete", "--forcerun trial measured"])
def test_forced_jobs_leave_every_record_as_it_is(project, words):
    before = project.contents()
    said(project, words)
    assert project.contents() == before


def test_a_record_of_an_earlier_identity_stays_untouched(project):
    before = project.contents()
    inodes = {path: (project.root / "data/raw" / path).stat().st_ino for path in before}
    project.replace("config/filesystems.yaml", "  mkfs: [mkfs.ext4, -q, -F, ", "  mkfs: [mkfs.ext4, -q, -F, -m, '1', ")
    said(project, "measured")
    after = project.contents()
    assert len(after) == CELLS + 2 and before.items() <= after.items()
    assert inodes == {path: (project.root / "data/raw" / path).stat().st_ino for path in before}


def test_a_testbed_that_fails_its_trial_is_skipped_and_the_others_are_measured(project):
    """/proc holds no images."""
    text = (project.root / "config/testbeds/loop.yaml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("directory:")]
    project.write("config/testbeds/nowhere.yaml", "\n".join([*lines, "directory: /proc/spindlemark", ""]))
    shutil.rmtree(project.root / "data/raw")
    sets = (project.root / "config/experiments/filesystem_lifecycle.yaml").read_text()
    one = "  - testbeds: [nowhere]\n    factors: {filesystem: [ext4], library: [picture]}\n"
    project.write("config/experiments/filesystem_lifecycle.yaml", sets + one)
    out = said(project, "measured", code=1)
    assert "spindlemark: error: testbed nowhere: " in out and "config/testbeds/" in out
    assert len(project.records()) == CELLS and not any(path.startswith("nowhere") for path in project.records())
    assert leftovers(project.root) == []


def test_a_changed_module_makes_the_findings_again(project):
    code = project.root / "workflow/spindlemark/analysis/findings/model/table_model.py"
    target = "data/build/current/findings.json --config measure=false"
    assert "rule findings" not in said(project, f"-n {target}")
    code.write_text(code.read_text() + "\n# Edited.\n")
    out = said(project, f"-n {target}")
    assert "rule findings" in out and "Updated input files: workflow/spindlemark/analysis/findings/model/" in out


def test_no_limit_on_job_starts_while_something_is_measured(project):
    """Its timers would keep a processor busy during a measurement; see rules/common.smk."""
    (project.root / "data/build/versions.json").unlink()
    limited = "Submitting maximum 1000000 job(s)"
    assert limited in said(project, "data/build/versions.json --verbose --config measure=false"), (
        "else the test is blind"
    )
    victim = removed(project)
    assert limited not in said(project, f"{victim} --verbose")


def test_settings_of_the_configuration_work_from_another_file(project):
    settings = project.root / "other.yaml"
    settings.write_text("profile: tiny\ntestbed: loop\nseed: 7\n")
    assert "Measure data/raw/loop/" in said(project, f"-n measured --configfile {settings}"), (
        "another seed, other files"
    )
    settings.write_text("seed: many\n")
    out = said(project, f"-n measured --configfile {settings}", code=2)
    assert "spindlemark: error: --config: seed" in out
