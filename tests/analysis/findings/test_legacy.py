"""Legacy filesystems are shown and compared in tables, and never recommended."""

import numpy as np
import pytest

from findings_data import DECLARED, Lab
from spindlemark import config
from spindlemark.analysis import database
from spindlemark.analysis.findings import configurations, groups
from spindlemark.analysis.findings.samples import read
from spindlemark.config import questions


@pytest.fixture
def found(tmp_path):
    """ext3 is the fastest of three, by far."""
    lab = Lab(tmp_path)
    for name, factor in (("ext3", 1.0), ("ext4", 2.0), ("xfs", 3.0)):
        noise = np.exp(np.random.default_rng(len(name)).normal(0, 0.02, 5))
        lab.measured(
            name, {step: (factor * noise).tolist() for step in ("copy_seconds", "check_seconds", "delete_seconds")}
        )
    database.build(lab.records, tmp_path / "x.duckdb")
    known = configurations.Catalogue(config.load().filesystems, config.load().libraries)
    by_family = questions.load()
    (group,) = groups.answers(read(tmp_path / "x.duckdb", by_family), by_family, DECLARED, 0.2, known).groups
    return group


def test_the_fastest_is_not_recommended_if_it_is_legacy(found):
    assert found.candidates == ["ext4", "xfs"]
    assert found.recommendation.first == ["ext4"] and found.recommendation.verdict == "better"
    assert "ext3" not in {option.configuration for option in found.recommendation.options}


def test_it_is_shown_and_the_reason_is_told(found):
    copied = next(table for table in found.metrics if table.metric == "copy_seconds")
    assert {cell.configuration for cell in copied.cells} == {"ext3", "ext4", "xfs"}
    assert any("ext3 is a legacy filesystem" in note and "Linux 4.3" in note for note in found.notes)


def test_every_legacy_filesystem_is_declared_with_a_reason():
    legacy = {name: each.legacy for name, each in config.load().filesystems.items() if each.legacy}
    assert legacy.keys() == {"ext3", "jfs", "reiserfs"} and all(len(why) > 10 for why in legacy.values())
