"""Code and rules as the field's own checkers want them. What `snakemake --lint` says is in tests/workflow/test_looking.py."""

import subprocess
import sys
from pathlib import Path

import pytest

from spindlemark.core.paths import ROOT

BIN = Path(sys.executable).parent
TEXTS = ("README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md", "pyproject.toml", "Snakefile")


@pytest.mark.parametrize(
    "words",
    [
        ("ruff", "check", "--no-cache", "."),
        ("ruff", "format", "--no-cache", "--check", "."),
        ("snakefmt", "--check", "Snakefile", "rules"),
        ("codespell", "workflow", "rules", "tests", "docs", "config", "site", ".github", *TEXTS),
        ("pre-commit", "validate-config"),
        ("mypy",),
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_the_checker_finds_nothing(words):
    done = subprocess.run([BIN / words[0], *words[1:]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
