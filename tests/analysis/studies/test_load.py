"""From a study's folder to rows: units, factors, identities, and damaged data."""

import pytest
from pydantic import ValidationError

import reference_data
from spindlemark.analysis.studies.load import factors, load, rows
from spindlemark.analysis.studies.source_model import Measure
from spindlemark.analysis.studies.units import UNITS, duration, number, unit_of
from spindlemark.core.errors import UserError

TIMES = {"metric": "copy_seconds", "title": "Copy", "columns": ["a"], "printed_unit": "seconds", "unit": "s"}


def test_values_are_converted_and_repetitions_counted(tmp_path):
    found = [(r.experiment, r.repetition, r.value, r.status) for r in rows(reference_data.made_up(tmp_path))]
    assert found == [
        ("ext4--picture", 1, 90.0, "ok"),
        ("ext4--picture", 2, 150.0, "ok"),
        ("xfs+log--picture", 1, None, "failed"),
        ("xfs+log--picture", 2, 60000.0, "ok"),
    ]


def test_factors_have_dotted_names(tmp_path):
    named = {(f.experiment, f.name): f.value for f in factors(reference_data.made_up(tmp_path))}
    assert named["ext4--picture", "filesystem.name"] == "ext4"
    assert named["xfs+log--picture", "variant"] == "log"


def test_another_series_is_another_identity(tmp_path):
    first = {r.identity for r in rows(reference_data.made_up(tmp_path))}
    second = {r.identity for r in rows(reference_data.made_up(tmp_path, series="again"))}
    assert len(first) == len(second) == 2 and not first & second


def test_loading_twice_changes_nothing(tmp_path):
    study = reference_data.made_up(tmp_path)
    with reference_data.with_made_up(tmp_path / "x.duckdb", study) as connection:
        before = connection.execute("select * from measurement order by all").fetchall()
        load(connection, study)
        assert connection.execute("select * from measurement order by all").fetchall() == before != []


def test_damaged_data_leave_the_database_as_it_was(tmp_path):
    study = reference_data.made_up(tmp_path)
    with reference_data.with_made_up(tmp_path / "x.duckdb", study) as connection:
        reference_data.made_up(tmp_path, csv=reference_data.CSV.replace("1.5", "quick"))
        with pytest.raises(UserError, match="times.csv.*'quick'"):
            load(connection, study)
        assert connection.execute("select count(*) from measurement").fetchone() == (3,)


@pytest.mark.parametrize(
    ("csv", "problem"),
    [
        ("fs,test_1,average\nEXT,1,1\n", "columns are"),
        ("fs,test_1,test_2,average\nEXT,1,2\n", "more or fewer cells"),
        ("fs,test_1,test_2,average\nEXT,1,2,3\nEXT,1,2,3\n", "same keys"),
    ],
)
def test_a_damaged_csv_is_named(tmp_path, csv, problem):
    with pytest.raises(UserError, match=problem):
        list(rows(reference_data.made_up(tmp_path, csv=csv)))


def test_a_missing_factor_is_named(tmp_path):
    with pytest.raises(UserError, match="no factor 'library'"):
        list(rows(reference_data.made_up(tmp_path, experiment=["{subject}", "{library}"])))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"unit": "KiB"}, "does not end in"),
        ({"unit": "parsec"}, "not known"),
        ({"printed_unit": "bytes"}, "give the reason"),
        ({"metric": "copy"}, "does not end in"),
        ({"unnit": "s"}, "Extra inputs"),
    ],
)
def test_a_measure_says_what_its_unit_is(change, problem):
    with pytest.raises(ValidationError, match=problem):
        Measure(**TIMES | change)


def test_a_corrected_unit_needs_a_reason():
    sizes = TIMES | {"metric": "used_bytes", "printed_unit": "bytes", "unit": "KiB"}
    with pytest.raises(ValidationError, match="give the reason"):
        Measure(**sizes)
    assert Measure(**sizes, reason="the disk is larger").unit == "KiB"


def test_numbers_as_printed():
    assert [number(text) for text in ("1,345,102", "0.040", "-0.95", "FAILED", "12x", "")] == [
        (1345102.0, 0),
        (0.04, 3),
        (-0.95, 2),
        None,
        None,
        None,
    ]
    assert [duration(text) for text in ("30'", "56' 30”", "1' 50\"", "2s")] == [
        (1800.0, 0),
        (3390.0, 0),
        (110.0, 0),
        None,
    ]
    assert UNITS["Mbit/s"] == ("B/s", 125e3) and UNITS["KiB"] == ("B", 1024.0)
    assert unit_of("copy_bytes_per_second") == "B/s" and unit_of("copy_seconds") == "s" and unit_of("copy") is None
