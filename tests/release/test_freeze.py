"""Releases: complete, the same bytes each time, never changed, and every change to one is noticed."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from datetime import date

import duckdb
import pytest
import yaml

import factory
from release_inputs import change, content, inputs
from spindlemark import config
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings import findings_files
from spindlemark.core import paths
from spindlemark.core.errors import UserError, as_user_error
from spindlemark.release import manifest, tables, version_name
from spindlemark.release import versions as release


def test_holds_everything_that_a_site_is_built_from(frozen, given, tmp_path):
    names = set(content(frozen))
    for table in ("measurements", "factors", "validity", "environment", "commands"):
        assert f"{table}.parquet" in names and f"{table}.csv" not in names, "as text they are most of a release"
    assert {
        "findings.json.zst",
        "records.parquet",
        "manifest.json",
        "README.md",
        "CITATION.cff",
        "citation.bib",
        "citation.ris",
        "citation.csl.json",
        "citation.datacite.json",
        "config/config.yaml",
    } <= names
    assert findings_files.content(frozen) == given["findings"].read_bytes()
    rebuilt = tmp_path / "rebuilt.duckdb"
    database.build_release(frozen, rebuilt)
    again = findings.compute(rebuilt, findings.load(), 0.2).model_dump_json(indent=1) + "\n"
    assert again == findings_files.content(frozen).decode()
    assert config.load(frozen / "config") == config.load()


def test_records_are_copied_byte_by_byte_with_their_specs(frozen, given):
    kept = dict(manifest.records(frozen))
    given_files = {*given["records"], *(path.with_name("spec.json") for path in given["records"])}
    assert kept == {"/".join(path.parts[-5:]): path.read_bytes() for path in given_files}
    listed = {record.path: record.sha256 for record in release.read(frozen).records}
    assert listed == {path: hashlib.sha256(data).hexdigest() for path, data in kept.items()}


def test_any_reader_of_parquet_can_query_the_records(frozen, given):
    query = (
        f"SELECT count(*), bool_and(sha256(json) = sha256) FROM '{frozen}/records.parquet' WHERE path LIKE '%/rep-%'"
    )
    assert duckdb.sql(query).fetchall() == [(len(given["records"]), True)]


def test_tables_hold_the_rows_of_the_database_in_order(frozen, given, tmp_path):
    names = {
        "measurements": "measurement",
        "factors": "factor",
        "environment": "environment",
        "commands": "command",
        "validity": "validity",
    }
    with duckdb.connect(str(given["database"]), read_only=True) as connection:
        for name, table in names.items():
            parquet, csv = frozen / f"{name}.parquet", tmp_path / f"{name}.csv"
            tables.to_csv(parquet, csv)
            rows = connection.execute(f"SELECT * FROM '{parquet}'").fetchall()
            (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert len(rows) == count > 0
            assert rows == connection.execute(f"SELECT * FROM '{parquet}' ORDER BY ALL").fetchall()
            counted = connection.execute(f"SELECT count(*) FROM read_csv('{csv}', all_varchar = true)").fetchone()
            assert counted == (count,)
        value = connection.execute(f"SELECT sum(value) FROM '{tmp_path}/measurements.csv'").fetchone()
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
    assert measured.configurations == ["ext4", "xfs"] and measured.libraries == ["picture", "sound"]
    assert "2 GiB loop file" in measured.statement and "2-core" in measured.statement
    assert "12 repetitions of 4 experiments" in measured.statement
    assert "copy_seconds" in {variable.name for variable in measured.variables}
    assert yaml.safe_load((frozen / "CITATION.cff").read_text())["version"] == "2026.11"
    assert measured.statement in (frozen / "README.md").read_text()


def test_a_release_is_never_rewritten(frozen, given):
    before = content(frozen)
    with pytest.raises(UserError, match="never changed"):
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
    with pytest.raises(UserError, match="not a version"):
        release.freeze(name, output=tmp_path / "releases", **given)
    assert list(tmp_path.iterdir()) == []


def test_versions_are_listed_newest_first(frozen):
    for name in ("2026.9", "2025.12", "2026.11.2", "2026.11.10", "2027.01", "notes", ".2026.12.partial"):
        shutil.copytree(frozen, frozen.parent / name)
        path = frozen.parent / name / "manifest.json"
        path.write_text(path.read_text().replace('"version": "2026.11"', f'"version": "{name}"'))
    (frozen.parent / "2027.01/manifest.json").unlink()  # no longer a release
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
        (lambda folder: change(folder / "findings.json.zst"), "findings.json.zst was changed"),
        (lambda folder: change(folder / "records.parquet"), "records.parquet was changed"),
        (lambda folder: (folder / "measurements.parquet").unlink(), "measurements.parquet is missing"),
        (lambda folder: (folder / "notes.txt").write_text("x"), "notes.txt does not belong"),
        (lambda folder: (folder / "config" / ".hidden").write_text(""), ".hidden does not belong"),
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
    with pytest.raises(UserError, match="not a regular file"):
        release.verify(frozen)


def test_a_renamed_release_is_noticed(frozen):
    moved = frozen.rename(frozen.parent / "2026.12")
    with pytest.raises(UserError, match="is of version 2026.11"):
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
