"""Modules that say they need the standard library alone do: they also run where the environment was never created."""

import subprocess
import sys

import pytest

from spindlemark.core.paths import ROOT

WORKFLOW = ROOT / "workflow"
SAYING = sorted(
    path
    for path in (WORKFLOW / "spindlemark").rglob("*.py")
    if "standard library alone" in path.read_text().split('"""')[1] and path.name != "__init__.py"
)


def test_there_are_such_modules():
    assert {"programs.py", "bonnie_cold.py", "ownership.py"} < {path.name for path in SAYING}


@pytest.mark.parametrize("path", SAYING, ids=lambda path: path.stem)
def test_it_is_imported_without_the_environment(path):
    name = ".".join(path.relative_to(WORKFLOW).with_suffix("").parts)
    code = f"import sys; sys.path.insert(0, {str(WORKFLOW)!r}); import {name}"
    done = subprocess.run([sys.executable, "-S", "-I", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
