"""Fixtures that several test folders share."""

import os

import pytest


@pytest.fixture
def needs_root():
    """Skip, with the reason, where the tests cannot format or mount."""
    if os.geteuid() != 0:
        pytest.skip("formatting and mounting a loop device needs root")
