"""Freezing refuses what is no release, leaves nothing half made, and cleans up after a kill."""

import json
import shutil
import subprocess
from datetime import date

import duckdb
import pytest

import factory
from release_inputs import inputs
from spindlemark.core import paths
from spindlemark.core.errors import UserError, as_user_error
from spindlemark.release import versions as release


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../x",
        "2026.13",
        "2026.00",
        "2026.1",
        "26.11",
        "2026.11.0",
        "2026.11.01",
        "2026.11\n",
        "2026.11/../x",
        "current",
        "v2026.11",
        " 2026.11",
        "٢٠٢٦.١١",
        "2026.11.-1",
        "/",
        "..",
    ],
)
def test_nonsense_is_no_version(name, given, tmp_path):
    with pytest.raises(UserError, match="not a version"):
        release.freeze(name, output=tmp_path / "releases", **given)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_no_release(given, tmp_path):
    with pytest.raises(UserError, match="nothing to release"):
        release.freeze("2026.11", output=tmp_path, **given | {"records": []})
    assert list(tmp_path.iterdir()) == []


def test_only_failures_are_no_release(given, tmp_path):
    failed = factory.write(tmp_path / "raw", factory.experiment(), 2, status="failed")
    with pytest.raises(UserError, match="nothing to release"):
        release.freeze("2026.11", output=tmp_path / "out", **given | {"records": failed})


def test_other_database_other_findings_or_missing_ones_are_refused(given, tmp_path):
    other = inputs(tmp_path / "other") | {"records": given["records"]}
    fewer = given["records"][:-1]
    for wrong, told in (
        ({"records": fewer}, "does not have the records"),
        ({"findings": tmp_path / "none"}, "no such file"),
        ({"database": tmp_path / "none"}, "cannot be read"),
    ):
        with pytest.raises(UserError, match=told):
            release.freeze("2026.11", output=tmp_path / "out", **given | wrong)
    report = json.loads(other["findings"].read_text())
    report["groups"].pop()
    other["findings"].write_text(json.dumps(report))
    with pytest.raises(UserError, match="has other experiments"):
        release.freeze("2026.11", output=tmp_path / "out", **given | {"findings": other["findings"]})
    assert list((tmp_path / "out").iterdir()) == []


def test_a_failing_check_is_no_release(given, tmp_path):
    copy = tmp_path / "copy.duckdb"
    shutil.copyfile(given["database"], copy)
    with duckdb.connect(str(copy)) as connection:
        connection.execute("UPDATE measurement SET value = -1 WHERE metric = 'copy_seconds'")
    with pytest.raises(UserError, match="check"):
        release.freeze("2026.11", output=tmp_path / "out", **given | {"database": copy})


def test_a_damaged_spec_is_no_release(tmp_path):
    own = inputs(tmp_path / "own")
    spec = own["records"][0].parent / "spec.json"
    spec.write_text(spec.read_text().replace('"method":1', '"method":2'))
    with pytest.raises(UserError, match="spec.json"):
        release.freeze("2026.11", output=tmp_path / "out", **own)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_day_before_the_measuring_is_refused(given, tmp_path):
    with pytest.raises(UserError, match="later date"):
        release.freeze("2026.11", output=tmp_path, **given | {"released": date(2026, 11, 20)})
    later = release.freeze("2026.11", output=tmp_path, **given | {"released": date(2026, 11, 30)})
    assert release.read(later).released == date(2026, 11, 30)


def test_a_version_is_named_for_the_month_of_its_release(given, tmp_path):
    for name in ("2026.12", "2026.10.3", "2025.11"):
        with pytest.raises(UserError, match="named for its month"):
            release.freeze(name, output=tmp_path / "out", **given)
    assert list((tmp_path / "out").iterdir()) == []
    assert release.freeze("2026.11.2", output=tmp_path / "out", **given).name == "2026.11.2"


def test_a_program_that_is_not_committed_is_refused(given, tmp_path):
    code = tmp_path / "code"
    code.mkdir()
    git = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org", "-C", code]
    (code / "Snakefile").write_text("rule all:\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "One"]):
        subprocess.run([*git, *words], check=True)
    folder = release.freeze("2026.11", output=tmp_path / "out", **given | {"code": code})
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert release.read(folder).code.commit == commit
    (code / "Snakefile").write_text("rule all: input: 1\n")
    with pytest.raises(UserError, match=r"Snakefile differ from the newest commit"):
        release.freeze("2026.11.1", output=tmp_path / "out", **given | {"code": code})


def test_what_a_kill_left_is_cleaned_by_the_next(given, tmp_path):
    left = tmp_path / ".2026.11.partial"
    left.mkdir()
    (left / "half").write_text("x")
    folder = release.freeze("2026.11", output=tmp_path, **given)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2026.11"]
    release.verify(folder)


@pytest.mark.parametrize("size", ["16k", "64k", "150k"])
def test_a_full_disk_leaves_nothing_behind(given, tmp_path, needs_root, size):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(tmp_path)], check=True)
    try:
        with pytest.raises((OSError, duckdb.Error)) as caught:
            release.freeze("2026.11", output=tmp_path / "releases", **given)
        assert "disk is full" in as_user_error(caught.value).problem
        assert list((tmp_path / "releases").iterdir()) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_only_declarations_of_known_places_are_frozen(given, tmp_path):
    config = tmp_path / "config"
    shutil.copytree(paths.CONFIG, config)
    for name in ("secrets/key.yaml", "experiments/.aging.yaml.swp.yaml", "a b.yaml"):
        (config / name).parent.mkdir(exist_ok=True)
        (config / name).write_text("secret: 1")
    folder = release.freeze("2026.11", output=tmp_path / "out", config=config, **given)
    kept = {path.relative_to(folder / "config") for path in folder.rglob("config/**/*.yaml")}
    assert kept == {path.relative_to(paths.CONFIG) for path in paths.CONFIG.rglob("*.yaml")}
    release.verify(folder)
