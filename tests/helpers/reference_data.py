"""A database with every study, and a made-up study, for the tests of the published figures."""

from pathlib import Path

import duckdb
import yaml

from spindlemark.analysis import database
from spindlemark.analysis.studies.load import load, load_all

MADE_UP = {
    "id": "900",
    "title": "Made up",
    "authors": ["Nobody"],
    "date": "2001-02-03",
    "document": "test",
    "institution": None,
    "language": "en",
    "text": "none.txt",
    "sha256": "0",
    "machine": {"disk": "none"},
    "software": {"kernel": "0"},
    "method": ["made up"],
    "repetitions": "twice",
    "units": [],
    "testbed": "nowhere",
    "labels": {"EXT": "ext4"},
    "factor_names": {"filesystem": "filesystem.name"},
    "missing": {"FAILED": "the disk was full"},
    "tables": {
        "times": {
            "number": "Table 1",
            "title": "Times",
            "section": "1",
            "line": 1,
            "lines": 2,
            "columns": {"fs": "Filesystem", "test_1": "Test 1", "test_2": "Test 2", "average": "Average"},
            "keys": ["fs"],
            "family": "filesystem_lifecycle",
            "experiment": ["{subject}", "picture"],
            "factors": {},
            "rows": {"EXT": {"filesystem": "ext4"}, "XFS": {"filesystem": "xfs", "variant": "log"}},
            "measures": [
                {
                    "metric": "copy_seconds",
                    "title": "Copy",
                    "columns": ["test_1", "test_2"],
                    "printed_unit": "minutes",
                    "unit": "min",
                    "better": "lower",
                },
                {
                    "metric": "copy_mean_seconds",
                    "title": "Copy",
                    "columns": ["average"],
                    "printed_unit": "minutes",
                    "unit": "min",
                    "better": "lower",
                    "kind": "derived",
                },
            ],
        }
    },
}
CSV = 'fs,test_1,test_2,average\nEXT,1.5,2.5,2.0\nXFS,FAILED,"1,000.0",7.0\n'


def made_up(folder: Path, csv: str = CSV, **changes) -> Path:
    """Write the made-up study below `folder`, its single table changed as the test says."""
    study = folder / "900"
    study.mkdir(parents=True, exist_ok=True)
    content = MADE_UP | {"tables": {"times": MADE_UP["tables"]["times"] | changes}}
    (study / "source.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    (study / "times.csv").write_text(csv)
    return study


def empty(path: Path) -> duckdb.DuckDBPyConnection:
    """A database as it is without any record."""
    database.build([], path)
    return duckdb.connect(str(path))


def whole(path: Path) -> duckdb.DuckDBPyConnection:
    """A database with all studies of the project."""
    connection = empty(path)
    load_all(connection)
    return connection


def with_made_up(path: Path, study: Path) -> duckdb.DuckDBPyConnection:
    """A database with the made-up study alone."""
    connection = empty(path)
    load(connection, study)
    return connection
