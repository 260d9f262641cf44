"""The commands that the rules call."""

import os
import subprocess
import sys

import pytest

from spindlemark.analysis.findings import samples
from spindlemark.analysis.findings.findings_files import read
from spindlemark.core.errors import UserError


def _run(*argv: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", *map(str, argv)], capture_output=True, text=True)


def test_from_a_release_to_its_findings(tmp_path):
    database, output = tmp_path / "x.duckdb", tmp_path / "new" / "findings.json"
    built = _run("spindlemark.release", "database", "2026.11", "--output", database)
    assert built.returncode == 0, built.stderr
    written = _run("spindlemark.analysis.findings", database, "--stability", 0.15, "--output", output)
    assert written.returncode == 0, written.stderr
    found = read(output)
    assert (found.relative_width, len(found.groups)) == (0.15, 5)
    first = output.read_bytes()
    _run("spindlemark.analysis.findings", database, "--stability", 0.15, "--output", output)
    assert output.read_bytes() == first and [path.name for path in output.parent.iterdir()] == ["findings.json"]


def test_what_the_user_can_mend_ends_with_2(tmp_path):
    for argv in (
        ["spindlemark.analysis.database", "--output", tmp_path / "x"],
        ["spindlemark.release", "--folder", tmp_path, "database", "2026.11", "--output", tmp_path / "x"],
        ["spindlemark.analysis.findings", tmp_path / "x", "--stability", 0.2, "--output", tmp_path / "y"],
    ):
        ended = _run(*argv)
        assert ended.returncode == 2 and "error: " in ended.stderr and "Traceback" not in ended.stderr
    assert not list(tmp_path.iterdir())


def test_a_fifo_in_the_place_of_the_database_is_told_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "spindlemark.duckdb")
    with pytest.raises(UserError, match="is not a regular file"):
        samples.read(tmp_path / "spindlemark.duckdb", {})
