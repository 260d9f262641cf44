"""Releases: complete, the same bytes each time, never rewritten, and every change to one is noticed."""

import json
import os
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import duckdb
import pytest
import yaml

import factory
from release_inputs import change, content, inputs
from spindlemark import config
from spindlemark.analysis import database, findings
from spindlemark.core import paths
from spindlemark.core.errors import UserError, mendable
from spindlemark.release import version_name
from spindlemark.release import versions as release


def test_holds_everything_that_a_site_is_built_from(frozen, given, tmp_path):
    names = set(content(frozen))
    for table in ("measurements", "factors", "validity"):
        assert {f"{table}.parquet", f"{table}.csv"} <= names
    for table in ("environment", "commands"):
        assert f"{table}.parquet" in names and f"{table}.csv" not in names, "as text they are most of a release"
    assert {
        "findings.json",
        "manifest.json",
        "README.md",
        "CITATION.cff",
        "citation.bib",
        "citation.ris",
        "citation.csl.json",
        "citation.datacite.json",
        "config/config.yaml",
    } <= names
    assert (frozen / "findings.json").read_bytes() == given["findings"].read_bytes()
    rebuilt = tmp_path / "rebuilt.duckdb"
    database.build(database.released(frozen), rebuilt)
    again = findings.compute(rebuilt, findings.load(), 0.2).model_dump_json(indent=1) + "\n"
    assert again == (frozen / "findings.json").read_text()
    assert config.load(frozen / "config") == config.load()


def test_records_are_copied_byte_by_byte_with_their_specs(frozen, given):
    for path in given["records"]:
        place = frozen / "records" / Path(*path.parts[-5:])
        assert place.read_bytes() == path.read_bytes()
        assert (place.parent / "spec.json").read_bytes() == (path.parent / "spec.json").read_bytes()
    assert len(list(frozen.glob("records/**/rep-*.json"))) == len(given["records"])


def test_parquet_and_csv_hold_the_rows_of_the_database_in_order(frozen, given):
    names = {
        "measurements": "measurement",
        "factors": "factor",
        "environment": "environment",
        "commands": "command",
        "validity": "validity",
    }
    with duckdb.connect(str(given["database"]), read_only=True) as connection:
        for name, table in names.items():
            parquet, csv = (frozen / f"{name}.{suffix}" for suffix in ("parquet", "csv"))
            rows = connection.execute(f"SELECT * FROM '{parquet}'").fetchall()
            (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert len(rows) == count > 0
            assert rows == connection.execute(f"SELECT * FROM '{parquet}' ORDER BY ALL").fetchall()
            if csv.exists():
                assert connection.execute(f"SELECT count(*) FROM '{csv}'").fetchone() == (count,)
        value = connection.execute(f"SELECT sum(value) FROM '{frozen}/measurements.csv'").fetchone()
        assert value == pytest.approx(connection.execute("SELECT sum(value) FROM measurement").fetchone())


def test_same_input_gives_same_bytes_elsewhere_and_later(frozen, tmp_path):
    """Another process, folder, time zone, locale, hash seed, order of records and number of threads."""
    code = (
        "import sys; from pathlib import Path; import release_inputs as t; "
        "from spindlemark.release import versions as release; root = Path(sys.argv[1]); "
        "release.freeze('2026.11', output=root / 'out', **t.inputs(root / 'other place', reverse=True))"
    )
    environment = os.environ | {
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "PYTHONHASHSEED": "7",
        "PYTHONPATH": str(paths.ROOT / "tests/helpers"),
    }
    (tmp_path / "other place").mkdir()
    subprocess.run(
        ["taskset", "-c", "0", sys.executable, "-c", code, str(tmp_path)],
        check=True,
        cwd=tmp_path,
        env=environment,
    )
    one, other = content(frozen), content(tmp_path / "out" / "2026.11")
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []


def test_nothing_tells_where_or_when_it_was_made(frozen, given):
    told = b"".join(content(frozen).values())
    assert str(paths.ROOT).encode() not in told
    assert str(given["database"].parent).encode() not in told
    assert release.read(frozen).released == date(2026, 11, 21)  # the day of the synthetic records


def test_manifest_counts_and_says_on_what(frozen):
    measured = release.read(frozen).measured
    assert (measured.experiments, measured.repetitions) == (4, 12)
    assert measured.subjects == ["ext4", "xfs"] and measured.libraries == ["picture", "sound"]
    assert "2 GiB loop file" in measured.statement and "2-core" in measured.statement
    assert "12 repetitions of 4 experiments" in measured.statement
    assert "copy_seconds" in {variable.name for variable in measured.variables}
    assert yaml.safe_load((frozen / "CITATION.cff").read_text())["version"] == "2026.11"
    assert measured.statement in (frozen / "README.md").read_text()


def test_a_release_is_never_rewritten(frozen, given):
    before = content(frozen)
    with pytest.raises(UserError, match="never rewritten"):
        release.freeze("2026.11", output=frozen.parent, **given)
    assert content(frozen) == before
    with pytest.raises(UserError, match="2026.11.1"):
        release.check_new("2026.11", frozen.parent)
    release.check_new("2026.11.1", frozen.parent)


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
    with pytest.raises(UserError, match="no version"):
        release.freeze(name, output=tmp_path / "releases", **given)
    assert list(tmp_path.iterdir()) == []


def test_versions_are_listed_newest_first(frozen):
    for name in ("2026.9", "2025.12", "2026.11.2", "2026.11.10", "notes", ".2026.12.partial"):
        shutil.copytree(frozen, frozen.parent / name)
        path = frozen.parent / name / "manifest.json"
        path.write_text(path.read_text().replace('"version": "2026.11"', f'"version": "{name}"'))
    found = release.versions(frozen.parent)
    assert [v.version for v in found] == ["2026.11.10", "2026.11.2", "2026.11", "2025.12"]
    assert [v.newest for v in found] == [True, False, False, False]
    assert release.versions(frozen.parent / "absent") == []
    assert version_name.order("2026.11.2") < version_name.order("2026.11.10") < version_name.order("2026.12")


def test_an_untouched_release_is_verified(frozen):
    assert release.verify(frozen).version == "2026.11"


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: change(folder / "findings.json"), "findings.json was changed"),
        (lambda folder: change(next(folder.glob("records/**/rep-2.json"))), "rep-2.json was changed"),
        (lambda folder: (folder / "measurements.csv").unlink(), "measurements.csv is missing"),
        (lambda folder: (folder / "notes.txt").write_text("x"), "notes.txt does not belong"),
        (lambda folder: (folder / "records" / ".hidden").write_text(""), ".hidden does not belong"),
        (lambda folder: (folder / "link").symlink_to("README.md"), "link does not belong"),
        (lambda folder: (folder / "manifest.json").unlink(), "no such release"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json"),
        (
            lambda folder: shutil.move(folder / "README.md", folder / "readme.md"),
            "README.md is missing; readme.md does not",
        ),
    ],
    ids=range(9),
)
def test_every_change_is_noticed(frozen, damage, told):
    damage(frozen)
    with pytest.raises(UserError) as caught:
        release.verify(frozen)
    assert told in caught.value.problem


def test_a_file_replaced_by_a_link_to_its_copy_is_noticed(frozen):
    shutil.move(frozen / "README.md", frozen.parent / "copy")
    (frozen / "README.md").symlink_to(frozen.parent / "copy")
    with pytest.raises(UserError, match="no ordinary file"):
        release.verify(frozen)


def test_a_renamed_release_is_noticed(frozen):
    moved = frozen.rename(frozen.parent / "2026.12")
    with pytest.raises(UserError, match="says version 2026.11"):
        release.verify(moved)


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
        ({"records": fewer}, "does not hold the records"),
        ({"findings": tmp_path / "none"}, "no such file"),
        ({"database": tmp_path / "none"}, "cannot be read"),
    ):
        with pytest.raises(UserError, match=told):
            release.freeze("2026.11", output=tmp_path / "out", **given | wrong)
    report = json.loads(other["findings"].read_text())
    report["groups"].pop()
    other["findings"].write_text(json.dumps(report))
    with pytest.raises(UserError, match="about other experiments"):
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
    later = release.freeze("2026.11", output=tmp_path, **given | {"released": date(2026, 12, 1)})
    assert release.read(later).released == date(2026, 12, 1)


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
        assert "disk is full" in mendable(caught.value).problem
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
