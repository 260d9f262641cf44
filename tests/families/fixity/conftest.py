"""A testbed of its own for each test that measures."""

import pytest

from bed import Bed


@pytest.fixture
def bed(tmp_path, needs_root):
    """A place to measure in, all of which goes with the test."""
    made = Bed(tmp_path)
    yield made
    made.remove()
