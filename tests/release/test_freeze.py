"""Releases: complete, the same bytes each time, and never changed."""

import hashlib
import os
import shutil
import subprocess
import sys
from datetime import date

import duckdb
import pytest
import yaml

from release_inputs import content
from spindlemark import config
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings import findings_files
from spindlemark.core import paths
from spindlemark.core.errors import UserError
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
