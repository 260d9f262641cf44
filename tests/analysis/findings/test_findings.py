"""All findings of a database together: the same each time, finite, and named when they cannot be had."""

import json

import numpy as np
import pytest

import factory
from spindlemark.analysis import database, findings
from spindlemark.analysis.findings.findings_files import read
from spindlemark.analysis.findings.model import Findings
from spindlemark.core.errors import UserError


def test_the_same_database_gives_the_same_bytes(tmp_path):
    database.build(factory.write_all(tmp_path, 3), tmp_path / "x.duckdb")
    one, other = (findings.compute(tmp_path / "x.duckdb", findings.load(), 0.2).model_dump_json() for _ in range(2))
    assert one == other
    assert Findings.model_validate_json(one).model_dump() == json.loads(one)


def test_every_number_is_finite_and_every_ratio_at_least_one(tmp_path):
    database.build(factory.write_all(tmp_path, 3, noise=0.4), tmp_path / "x.duckdb")
    for group in findings.compute(tmp_path / "x.duckdb", findings.load(), 0.2).groups:
        for table in group.metrics:
            assert all(cell.ratio >= 1 for cell in table.cells if table.ranked)
            assert all(pair.ratio >= 1 and pair.low <= pair.ratio <= pair.high for pair in table.pairs)
            assert all(np.isfinite([pair.ratio, pair.low, pair.high, pair.p]).all() for pair in table.pairs)
            tiers = [cell.tier for cell in table.cells]
            assert not table.ranked or tiers == sorted(tiers)


def test_a_missing_or_foreign_database_is_named(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        findings.compute(tmp_path / "none", findings.load(), 0.2)
    (tmp_path / "text").write_text("not a database")
    with pytest.raises(UserError, match="text"):
        findings.compute(tmp_path / "text", findings.load(), 0.2)


@pytest.mark.parametrize("text", [None, "{", '{"groups": []}'])
def test_missing_or_damaged_findings_are_named(tmp_path, text):
    if text is not None:
        (tmp_path / "findings.json").write_text(text)
    with pytest.raises(UserError, match="findings.json"):
        read(tmp_path / "findings.json")
