"""Records and databases for the tests of the tables."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import factory
from spindlemark.analysis import database
from spindlemark.core.paths import record_path, spec_path
from spindlemark.core.record import Experiment


@pytest.fixture
def store(tmp_path: Path) -> Callable[..., Path]:
    """Write one record, changed as the test says, where it belongs; returns its path."""

    def write(exp: Experiment | None = None, repetition: int = 1, status: str = "ok", **changes) -> Path:
        exp = exp or factory.experiment()
        record = factory.record(exp, repetition, status).model_copy(update=changes)
        place = record_path(tmp_path / spec_path(exp.testbed, exp.family, exp.experiment, exp.identity()), repetition)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(record.model_dump_json())
        return place

    return write


@pytest.fixture
def built(tmp_path: Path) -> Callable[..., Callable[[str], list[tuple]]]:
    """Build a database of records; returns a function that queries it."""

    def build(records: list[Path]) -> Callable[[str], list[tuple]]:
        database.build(records, tmp_path / "x.duckdb")

        def query(text: str) -> list[tuple]:
            with duckdb.connect(str(tmp_path / "x.duckdb"), read_only=True) as connection:
                return connection.execute(text).fetchall()

        return query

    return build
