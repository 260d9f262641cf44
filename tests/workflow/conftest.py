"""One measured copy of the project, from which each test takes its own."""

import os
import shutil
from pathlib import Path

import pytest

import once
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
    if os.geteuid() != 0:
        pytest.skip("formatting and mounting a loop device needs root")
    folder = once.shared(tmp_path_factory, "measured", _measure)
    return _project(folder / "project"), (folder / "output.txt").read_text()


def _measure(folder: Path) -> None:
    project = Project(folder / "project")
    out = project.call("run")
    assert len(project.records()) == CELLS, out
    (folder / "output.txt").write_text(out)


def _project(root: Path) -> Project:
    """The project that is at `root` already."""
    project = Project.__new__(Project)
    project.root = root
    return project


@pytest.fixture
def measured(measured_once, tmp_path):
    """A copy of the measured project with its time stamps."""
    original, _ = measured_once
    root = tmp_path / "project"
    shutil.copytree(original.root, root, symlinks=True)
    return _project(root)
