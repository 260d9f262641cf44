"""One release that the tests of releases share."""

import shutil
from pathlib import Path

import pytest

import contributed
from malicious import Good
from release_inputs import inputs
from spindlemark.release import versions as release


@pytest.fixture(scope="session")
def given(tmp_path_factory):
    return inputs(tmp_path_factory.mktemp("given"))


@pytest.fixture(scope="session")
def frozen_once(given, tmp_path_factory):
    return release.freeze("2026.11", output=tmp_path_factory.mktemp("once"), **given)


@pytest.fixture
def frozen(frozen_once, tmp_path):
    """A release of our own to damage."""
    return Path(shutil.copytree(frozen_once, tmp_path / "releases" / "2026.11"))


@pytest.fixture(scope="session")
def good() -> Good:
    """A valid contribution of two records."""
    return contributed.good()
