"""Findings files of releases, in the shape of today."""

import json

import pytest

from spindlemark.analysis.findings import findings_files
from spindlemark.analysis.findings.model import FINDINGS_FORMAT
from spindlemark.core.errors import UserError
from spindlemark.core.paths import RELEASES


@pytest.fixture(params=["2026.11", "2026.11.1"])
def release(request):
    folder = RELEASES / request.param
    return json.loads(findings_files.content(folder)), findings_files.read(folder / findings_files.RELEASED)


def test_every_figure_of_a_frozen_release_is_there(release):
    before, now = release
    assert now.findings_format == FINDINGS_FORMAT and len(now.groups) == len(before["groups"])
    for old, group in zip(before["groups"], now.groups, strict=True):
        assert group.candidates == old["subjects"] == group.configurations
        for table, own in zip(old["metrics"], group.metrics, strict=True):
            assert own.statement == table["statement"] and len(own.cells) == len(table["cells"])
            assert [(c.configuration, c.median, c.tier) for c in own.cells] == [
                (c["subject"], c["median"], c["tier"]) for c in table["cells"]
            ]
            assert [pair.supported for pair in own.pairs] == [pair["supported"] for pair in table["pairs"]]


def test_advice_of_a_frozen_release_keeps_its_draws_and_chances(release):
    advised = 0
    for old, group in zip(release[0]["groups"], release[1].groups, strict=True):
        if advice := old["recommendation"]:
            own, advised = group.recommendation, advised + 1
            assert own.verdict == ("better" if advice["supported"] else "undecided")
            draws = {"configurations" if key == "subjects" else key: each for key, each in advice["draws"].items()}
            assert own.draws.model_dump() == draws and own.weighing is None
            assert own.probability_best == advice["probability_best"] and own.first
    assert advised


def test_gains_and_kernels_became_contrasts():
    before = json.loads(findings_files.content(RELEASES / "2026.11.1"))
    now = findings_files.read(RELEASES / "2026.11.1" / findings_files.RELEASED)
    gains = [gain for group in before["groups"] for gain in group["gains"]]
    kernels = [row for change in before["kernels"] for row in change["rows"]]
    rows = {
        name: [row for c in now.contrasts if c.question == name for row in c.rows] for name in ("setting", "kernel")
    }
    assert gains and kernels and (len(rows["setting"]), len(rows["kernel"])) == (len(gains), len(kernels))
    assert sum(row.verdict == "better" for row in rows["setting"]) == sum(gain["supported"] for gain in gains)
    # Format 1 told the ratio of values; a cost that halved is a gain of 2.
    before_over_after = sorted(1 / row["ratio"] if row["better"] == "lower" else row["ratio"] for row in kernels)
    assert sorted(row.ratio for row in rows["kernel"]) == pytest.approx(before_over_after)
    assert all(row.low <= row.ratio <= row.high for row in rows["kernel"])
    assert {row.side for row in rows["kernel"] if row.verdict != "better"} == {"level"}


@pytest.mark.parametrize(
    "text", [None, "{", "[]", '{"groups": []}', '{"findings_format": 1}', '{"findings_format": 1, "groups": [7]}']
)
def test_missing_or_damaged_findings_are_named(tmp_path, text):
    if text is not None:
        (tmp_path / "findings.json").write_text(text)
    with pytest.raises(UserError, match="findings.json"):
        findings_files.read(tmp_path / "findings.json")
