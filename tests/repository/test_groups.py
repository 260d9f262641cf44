"""Tests of one file stay in one process, where they share what their module sets up."""

import pytest


def test_a_test_carries_the_group_of_its_file(request):
    """Versions of pytest and pytest-xdist that do not fit make this fail silently: each process sets everything up."""
    if not hasattr(request.config, "workerinput") or not getattr(request.config.option, "loadgroup", True):
        pytest.skip("there is one process, or the tests are not to be kept together")
    assert request.node.nodeid.endswith("@repository/test_groups.py")
