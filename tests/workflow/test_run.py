"""A first run, from declaration to site, and every way in which a second one must measure nothing or just enough."""

import json
import os
import time
from datetime import date

import pytest

from project import CELLS, Project, leftovers

NOW = f"{date.today():%Y.%m}"  # a version is named for the month in which it is frozen


def test_first_run_measures_publishes_and_cleans(measured_once):
    project, out = measured_once
    assert "Recommended on the testbed loop" in out
    for library in ("picture", "sound"):
        assert library in out
    assert (project.root / "data/build/site/index.html").exists()
    statuses = [json.loads((project.root / "data/raw" / p).read_text())["status"] for p in project.records()]
    assert statuses == ["ok"] * CELLS
    assert leftovers(project.root) == []


def test_second_run_measures_nothing(measured):
    before = measured.records()
    assert "nothing to run" in measured.call("run")
    assert measured.records() == before


def test_one_changed_mkfs_option_reruns_that_filesystem_only(measured):
    before = measured.records()
    measured.replace("config/filesystems.yaml", "  mkfs: [mkfs.ext4, -q, -F, ", "  mkfs: [mkfs.ext4, -q, -F, -m, '1', ")
    plan = measured.call("plan")
    assert "ext4--picture" in plan and "ext4--sound" in plan and "xfs--" not in plan
    assert "factors.filesystem.mkfs" in plan
    measured.call("run", "--no-site")
    new = measured.records().keys() - before.keys()
    assert sorted(p.split("/")[2] for p in new) == ["ext4--picture", "ext4--sound"]
    assert before.items() <= measured.records().items()


def test_comments_formatting_and_touching_rerun_nothing(measured):
    before = measured.records()
    measured.replace("rules/measure.smk", "# One job", "# A comment that was edited. One job")
    measured.replace("rules/measure.smk", "        retries: 1\n", "\n        retries:    1\n\n")
    measured.replace("workflow/spindlemark/families/filesystem_lifecycle/family.py", '"""', '"""Edited. ')
    measured.replace("config/libraries.yaml", "picture:", "# a comment\npicture:")
    now = time.time()
    for path in sorted(measured.root.rglob("*")):
        if path.is_file() and "data/raw" not in str(path):
            os.utime(path, (now, now))
    assert "nothing to run" in measured.call("run")
    assert measured.records() == before


def test_fresh_clone_with_raw_results_reruns_nothing(measured, tmp_path):
    clone = measured.clone(tmp_path / "clone")
    before = clone.records()
    assert len(before) == CELLS
    assert "nothing to run" in clone.call("run", "--no-site")
    assert clone.records() == before


def test_more_repetitions_run_only_the_new_ones(measured):
    before = measured.records()
    measured.replace("config/profiles/tiny.yaml", "repetitions: 1", "repetitions: 3")
    measured.measure("--only", "ext4--picture")
    new = measured.records().keys() - before.keys()
    places = [p.split("/") for p in new]
    assert sorted((parts[2], parts[-1]) for parts in places) == [
        (f"{fs}--picture", f"rep-{n}.json") for fs in ("ext4", "xfs") for n in (2, 3)
    ], "beside the other contender"


def test_deleted_result_is_measured_again(measured):
    victim = next(p for p in measured.records() if "xfs--sound" in p)
    (measured.root / "data/raw" / victim).unlink()
    measured.measure()
    assert victim in measured.records()


def environments(project, part=""):
    """Experiment and repetition -> what its record says of the run."""
    found = {}
    for path in project.records():
        if part in path:
            said = json.loads((project.root / "data/raw" / path).read_text())
            found[path.split("/")[2], said["repetition"]] = said["environment"]
    return found


def test_what_is_measured_side_by_side_has_one_round(measured_once):
    project, _ = measured_once
    rounds = {said["run.round"] for said in environments(project).values()}
    assert len(rounds) == 1 and rounds.pop().endswith(".1")
    assert {said["run.looks"] for said in environments(project).values()} == {0}


def test_what_is_left_of_the_time_is_spent_on_whole_rounds_of_contenders(measured):
    """Whatever the verdicts are: what is added is there for all contenders of a question, in rounds that count looks."""
    measured.replace("config/profiles/tiny.yaml", "repetitions: 1", "repetitions: 3")
    measured.replace("config/profiles/tiny.yaml", "most_repetitions: 1", "most_repetitions: 9")
    out = measured.call("run", "--no-site", "--budget", "10")
    assert "Interim analysis 1 of at most 4:" in out and "Testbed loop:" in out
    for library in ("picture", "sound"):
        found = environments(measured, f"--{library}/")
        added = {key: said for key, said in found.items() if key[1] > 3}
        assert len(found) - len(added) == 2 * 3, "declared rounds come first"
        assert all(said["run.looks"] >= 1 for said in added.values())
        rounds = {}
        for (name, _), said in added.items():
            rounds.setdefault(said["run.round"], set()).add(name)
        assert all(names == {f"ext4--{library}", f"xfs--{library}"} for names in rounds.values()), "two contenders"
    looks = [said["run.looks"] for said in environments(measured).values()]
    assert sorted({*looks}) == list(range(max(looks) + 1)), "numbered without a gap"


def test_once_measures_only_what_is_declared(measured):
    measured.replace("config/profiles/tiny.yaml", "repetitions: 1", "repetitions: 2")
    measured.replace("config/profiles/tiny.yaml", "most_repetitions: 1", "most_repetitions: 9")
    assert "Interim analysis" not in measured.measure()
    assert len(measured.records()) == 2 * CELLS


def test_again_measures_the_declared_rounds_of_another_session(measured):
    before = measured.contents()
    out = measured.call("run", "--new-session")
    assert "Another one begins on another day or after a restart" in out and "nothing to run" in out
    for path in before:
        file = measured.root / "data/raw" / path
        text = file.read_text()
        file.write_text(text.replace(json.loads(text)["environment"]["session.id"], "2025-01-01-0000"))
    kept = measured.contents()
    measured.call("run", "--new-session", "--no-adaptive")
    new = measured.records().keys() - kept.keys()
    assert sorted(p.rsplit("/", 1)[1] for p in new) == ["rep-2.json"] * CELLS
    assert kept.items() <= measured.contents().items()
    findings = json.loads((measured.root / "data/build/current/findings.json").read_text())
    assert {len(group["sessions"]) for group in findings["groups"]} == {2}, "both sessions are in each answer"


def test_what_comes_later_is_measured_beside_one_that_has_results(measured):
    measured.replace("config/profiles/tiny.yaml", "most_repetitions: 1", "most_repetitions: 9")
    measured.replace("config/experiments/filesystem_lifecycle.yaml", "[ext4, xfs]", "[ext4, xfs, ext3]")
    before = measured.records()
    measured.measure()
    new = environments(measured)
    assert sorted(p.split("/")[2] for p in measured.records().keys() - before.keys()) == [
        "ext3--picture",
        "ext3--sound",
        "ext4--picture",
        "ext4--sound",
    ]
    assert {
        new[f"ext3--{lib}", 1]["run.round"] == new[f"ext4--{lib}", 2]["run.round"] for lib in ("picture", "sound")
    } == {True}


def test_a_budget_ends_measuring_and_loses_nothing(measured):
    for path in measured.records():
        (measured.root / "data/raw" / path).unlink()
    out = measured.measure("--budget", "0.01")
    kept = measured.contents()
    assert (
        f"The time budget ended: {CELLS - len(kept)} of {CELLS} declared repetitions are left for the next run" in out
    )
    measured.measure()
    assert len(measured.records()) == CELLS and kept.items() <= measured.contents().items()


def test_plan_and_show_change_nothing(measured):
    before = measured.records()
    assert "all up to date" in measured.call("plan")
    assert "copy_seconds" in measured.call("show", "ext4--picture")
    assert measured.records() == before


def test_release_is_frozen_once_and_served_for_ever(measured):
    measured.call("release", NOW)
    folder = measured.root / f"data/releases/{NOW}"
    assert (folder / "manifest.json").exists()
    assert (measured.root / f"data/build/site/{NOW}/index.html").exists()
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert NOW in measured.call("release", NOW, code=2)
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    "words",
    [
        ("release", "2031.13"),
        ("release", "../x"),
        ("show", "nothing-like-it"),
        ("run", "--profile", "quik"),
        ("run", "--only", "no-such-thing"),
    ],
)
def test_bad_words_end_with_code_2_and_a_remedy(measured, words):
    before = measured.records()
    assert "error:" in measured.call(*words, code=2)
    assert measured.records() == before


def test_without_data_the_site_is_built_and_says_what_to_run(tmp_path, needs_root):
    project = Project(tmp_path)
    project.call("site")
    assert "./spindlemark run" in (tmp_path / "data/build/site/index.html").read_text()
