"""Fixtures that several test folders share, and which tests may run beside which."""

import os
from pathlib import Path

import pytest

# Tests that measure take turns on the machine's devices; those of the site share one browser and one build.
TOGETHER = {"workflow": "devices", "hostile": "devices", "site": "site"}


def pytest_itemcollected(item):
    """Two processes: one folder, or one file of unit tests, stays in one of them."""
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    item.add_marker(pytest.mark.xdist_group(TOGETHER.get(folder, item.path.stem)))


@pytest.fixture
def needs_root():
    """Skip, with the reason, where the tests cannot format or mount."""
    if os.geteuid() != 0:
        pytest.skip("formatting and mounting a loop device needs root")
