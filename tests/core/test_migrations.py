"""Formats of earlier results: steps run in order, once, and only on files of an earlier format."""

import json
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from spindlemark.core import migrations
from spindlemark.core.migrations import FORMATS, upgrades
from spindlemark.core.paths import RELEASES, ROOT
from spindlemark.core.record import Closed
from spindlemark.release.contributions import replication_model


class Note(Closed):
    record_format: int
    name: str
    steps: list[int]


@pytest.fixture
def three_formats(monkeypatch):
    """A kind of file in format 3, with one step from format 1 and two from format 2."""
    monkeypatch.setattr(upgrades, "FORMATS", {"record": ("record_format", 3)})
    monkeypatch.setattr(upgrades, "_STEPS", {})
    upgrades.step("record", 1)(lambda old: {"name": old["called"], "steps": [1]})
    for number in (2, 3):
        upgrades.step("record", 2)(lambda old, number=number: old | {"steps": [*old["steps"], number]})


def _text(**content):
    return json.dumps(content).encode()


def test_the_newest_format_is_read_as_it_is(three_formats):
    text = _text(record_format=3, name="a", steps=[])
    note, newest = migrations.read(Note, "record", text)
    assert note.name == "a" and newest is text


def test_every_step_from_an_earlier_format_runs_once_and_in_order(three_formats):
    note, newest = migrations.read(Note, "record", _text(record_format=1, called="a"))
    assert note == Note(record_format=3, name="a", steps=[1, 2, 3])
    assert migrations.read(Note, "record", newest) == (note, newest)


@pytest.mark.parametrize(
    "content",
    [{"record_format": 3, "name": "a"}, {"record_format": 4, "name": "a"}, {"record_format": 0}, {"name": "a"}],
)
def test_other_formats_are_refused_as_they_are(three_formats, content):
    with pytest.raises(ValidationError):
        migrations.read(Note, "record", _text(**content))


def test_content_that_is_not_of_its_format_is_named(three_formats):
    with pytest.raises(ValueError, match="match format 1: 'called'"):
        migrations.read(Note, "record", _text(record_format=1, name="a"))


def test_every_earlier_format_has_its_steps_and_each_step_names_its_releases():
    for kind, (_, newest) in FORMATS.items():
        # A plan is not a result: the next run writes it again. A manifest of format 1 is only restored, by `release unpack`.
        oldest = 2 if kind in ("plan", "manifest") else 1
        for number in range(oldest, newest):
            for upgrade in upgrades._STEPS[kind, number]:
                assert re.search(r"[Rr]eleases? 20\d\d\.\d\d", upgrade.__doc__), upgrade


def test_no_other_module_asks_for_the_number_of_a_format():
    elsewhere = re.compile(r"format 1\b|_format\W{1,4}== *[0-9]")
    own = set(Path(migrations.__file__).parent.glob("*.py"))
    package = ROOT / "workflow" / "spindlemark"
    restoring = {package / "release" / name for name in ("unpack.py", "manifest.py", "__main__.py")}
    assert not [
        path for path in package.rglob("*.py") if path not in own | restoring and elsewhere.search(path.read_text())
    ]


@pytest.mark.parametrize("version", ["2026.11.5", "2026.11.6"])
def test_findings_of_contributions_are_read_in_the_newest_format(version):
    found = replication_model.read(RELEASES / version / "joined.json")
    assert {each.findings.findings_format for machine in found.machines for each in machine.contributions} == {
        migrations.FINDINGS_FORMAT
    }
