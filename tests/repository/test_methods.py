"""Every family's method is described in docs/methods, and its history names each method."""

import re

import pytest

from spindlemark.core.paths import PROJECT
from spindlemark.families import registry as families

METHODS = PROJECT / "docs" / "methods"
SECTIONS = ["What it measures", "Procedure", "Gates", "Limits", "History"]
SHARED = {"README", "testbeds", "results", "comparisons", "published-studies", "disk-model"}


@pytest.mark.parametrize("family", families.names())
def test_every_method_is_described(family):
    lines = (METHODS / f"{family}.md").read_text(encoding="utf-8").splitlines()
    method = families.method(family)
    assert lines[0] == f"# `{family}`, method {method}"
    assert [line.removeprefix("## ") for line in lines if line.startswith("## ")] == SECTIONS
    history = lines[lines.index("## History") :]
    named = [int(found[1]) for line in history if (found := re.match(r"- Method (\d+)\b", line))]
    assert named == list(range(method, 0, -1))


def test_every_text_is_of_a_family_or_applies_to_all():
    assert {path.stem for path in METHODS.glob("*.md")} == {*families.names(), *SHARED}
