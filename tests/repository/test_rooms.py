"""Which room imports which, and what a measured program loads before its own work."""

import subprocess
import sys
from pathlib import Path

import pytest

from spindlemark.core.paths import PROJECT

HEAVY = {"altair", "duckdb", "pandas", "pydantic", "scipy", "snakemake", "typer"}


def test_each_room_imports_only_rooms_before_it():
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter, "--no-cache"], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("package", ["live_video", "network_share", "shared.aaf", "shared.block_storage"])
def test_the_packages_above_a_measured_program_load_nothing(package):
    """A measured program starts cold in each repetition: what `__init__` loads would be part of its time."""
    script = f"import sys, spindlemark.families.{package}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    loaded = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True).stdout
    assert HEAVY.isdisjoint(loaded.split())
