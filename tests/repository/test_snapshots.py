"""Snapshots of sentences: each belongs to a test that exists."""

import os
import re
import subprocess
import sys

import pytest
import yaml

from spindlemark.core.paths import ROOT

FILES = sorted((ROOT / "tests").rglob("snapshots/*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.parent.name}-{file.stem}")
def test_each_snapshot_has_its_test(file):
    module = (file.parent.parent / f"test_{file.stem}.py").read_text()
    names = {re.match(r"\w+", name)[0] for name in yaml.safe_load(file.read_text())}
    assert names <= set(re.findall(r"^def (test_\w+)", module, re.MULTILINE))


def test_a_changed_sentence_fails_until_the_snapshot_is_updated(tmp_path):
    """Sentences of other tests stay, those of tests that are gone do not."""
    (tmp_path / "conftest.py").write_text("from snapshots import pytest_addoption, snapshot\n")
    (tmp_path / "test_words.py").write_text(
        "def test_it(snapshot):\n    snapshot('xfs is best.')\ndef test_two(): pass\n"
    )
    stored = tmp_path / "snapshots/words.yaml"
    stored.parent.mkdir()
    stored.write_text("{test_it: ext4 is best., test_two: kept, test_three: removed}")

    def run(*words):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT / "tests/helpers")}
        ).returncode

    assert [run(), run("--update-snapshots"), run()] == [1, 0, 0]
    assert yaml.safe_load(stored.read_text()) == {"test_it": "xfs is best.", "test_two": "kept"}
