"""The Method section names every family, its method number and each of its metrics."""

import pytest

from spindlemark.core.paths import ROOT
from spindlemark.families import registry as families


@pytest.mark.parametrize("family", families.names())
def test_every_method_is_described(family):
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = f"### `{family}`, method {families.method(family)}\n"
    assert heading in text
    section = text.split(heading)[1].split("\n## ")[0].split("\n### ")[0]
    described = {line.split("`")[1] for line in section.splitlines() if line.startswith("| `")}
    assert described == set(families.metrics(family))
