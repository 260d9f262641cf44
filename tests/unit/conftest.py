"""Fixtures that several tests of units share."""

import shutil
from pathlib import Path

import pytest
from spindlemark.paths import CONFIG


@pytest.fixture
def config(tmp_path) -> Path:
    """A copy of the committed declarations, to be changed."""
    return Path(shutil.copytree(CONFIG, tmp_path / "config"))
