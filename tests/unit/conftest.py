"""Fixtures that several tests of units share."""

import shutil
from pathlib import Path

import pytest

from spindlemark import config as declare
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Spec
from spindlemark.measure import experiments


@pytest.fixture
def config(tmp_path) -> Path:
    """A copy of the committed declarations, to be changed."""
    return Path(shutil.copytree(CONFIG, tmp_path / "config"))


@pytest.fixture(scope="session")
def resolved() -> dict[str, list[Spec]]:
    """profile -> the experiments that the committed declarations ask for, resolved once."""
    registry = declare.load()
    return {profile: experiments.specs(registry, profile) for profile in registry.profiles}
