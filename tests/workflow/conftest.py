"""One measured copy of the project, from which each test takes its own."""

import shutil

import pytest

from bed import Bed
from project import CELLS, Project


@pytest.fixture
def bed(tmp_path, needs_root):
    """A place to measure in: a testbed, its files and the memory, all of which goes with the test."""
    made = Bed(tmp_path)
    yield made
    made.remove()


@pytest.fixture(scope="session")
def measured_once(tmp_path_factory):
    """A tiny project after its first run; read only."""
    import os

    if os.geteuid() != 0:
        pytest.skip("formatting and mounting a loop device needs root")
    project = Project(tmp_path_factory.mktemp("measured"))
    out = project.call("run")
    assert len(project.records()) == CELLS, out
    return project, out


@pytest.fixture
def measured(measured_once, tmp_path):
    """A copy of the measured project with its time stamps."""
    original, _ = measured_once
    root = tmp_path / "project"
    shutil.copytree(original.root, root, symlinks=True)
    copy = Project.__new__(Project)
    copy.root = root
    return copy
