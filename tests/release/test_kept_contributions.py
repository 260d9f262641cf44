"""The contributions that the repository keeps are analysed by today's statistics: every site is built with them."""

import subprocess
import sys

import pytest

from spindlemark.core.paths import ROOT

KEPT = sorted((ROOT / "data" / "joined").glob("*.zip"))


def test_there_are_some():
    assert KEPT


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_it_passes_the_checks_of_an_import(file):
    argv = [sys.executable, "-P", "-m", "spindlemark", "import", "--check", str(file)]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
