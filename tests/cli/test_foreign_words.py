"""Words of foreign files on a terminal: shown, and not obeyed."""

import json

import pytest
from rich.console import Console

import factory
from damaging import changed, planned
from spindlemark.analysis import database
from spindlemark.cli import progress, snakemake_process
from spindlemark.cli.terminal import plan_table, sample_table
from spindlemark.core import paths, running
from spindlemark.core.errors import UserError, plain
from spindlemark.core.record import Spec
from spindlemark.measure import pending, plan
from spindlemark.release import versions as release

WORDS = "[/x] [bold]\x1b[2J\x1b]0;pwned\x07 \x9b31m \u202e"


@pytest.fixture
def terminal(capsys):
    """A console on a terminal; what it was told comes from `capsys`."""
    return Console(force_terminal=True, width=300, color_system=None)


def shown_plainly(text):
    return "[/x]" in text and not any(c in text for c in "\x1b\x07\x9b\u202e")


def test_foreign_words_are_shown_and_not_obeyed(terminal, capsys, tmp_path, monkeypatch):
    experiment = factory.experiment()
    path = factory.write(tmp_path, experiment, 1)[0]
    content = changed(path, status="failed", reason=WORDS)
    content["measurements"].append({"metric": WORDS, "unit": WORDS, "value": 1, "better": "none"})
    content["validity"][0] |= {"ok": False, "detail": WORDS}
    path.write_text(json.dumps(content))
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(plan, "read_or_none", lambda: planned(experiment, 1))
    sample_table.show(terminal, "ext4--picture")
    assert shown_plainly(capsys.readouterr().out)


def test_the_reasons_of_a_plan_are_shown_and_not_obeyed(terminal, capsys, monkeypatch):
    experiment = factory.experiment()
    made = planned(experiment), [Spec(identity=experiment.identity(), experiment=experiment)]
    monkeypatch.setattr(plan_table.planning, "make", lambda *_: made)
    monkeypatch.setattr(pending, "missing", lambda *_: [pending.Job(made[0].experiments[0], 1)])
    monkeypatch.setattr(pending, "reason", lambda *_: f"changed: a: {WORDS} -> b")
    plan_table.plan(terminal, plan.Request())
    assert shown_plainly(capsys.readouterr().out)


def test_an_error_in_foreign_words_commands_no_terminal():
    told = UserError(WORDS, WORDS)
    assert shown_plainly(str(told)) and shown_plainly(told.problem) and shown_plainly(told.remedy)
    assert plain("two\nlines, ü and €") == "two\nlines, ü and €"
    assert plain("\udcff").isascii()


def test_show_takes_the_newest_release_where_folders_hold_no_record(terminal, monkeypatch):
    monkeypatch.setattr(plan, "read_or_none", lambda: None)
    newest = release.versions()[0].version
    with pytest.raises(UserError, match="no measured experiment") as raised:
        sample_table.show(terminal, "no-such-name")
    names = {path.parent.parent.name for path, _ in database.released(paths.RELEASES / newest)}
    assert sorted(names)[0] in raised.value.remedy


def test_the_progress_bar_shows_a_foreign_step_and_does_not_obey_it(terminal, capsys, tmp_path, monkeypatch):
    experiment = factory.experiment()
    monkeypatch.setattr(running, "_place", tmp_path / "running.json")
    running.write(Spec(identity=experiment.identity(), experiment=experiment), 1, "[/x]", factory.START)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    job = pending.Job(planned(experiment, 1).experiments[0], 1)
    workflow = snakemake_process.Engine({}, ["measured"])
    monkeypatch.setattr(workflow, "rule", lambda: "measure_filesystem_lifecycle")
    progress.follow(workflow, progress.Watch([job], 9.0), terminal, iter([True, False]).__next__)
    assert "ext4--picture #1 [/x]" in capsys.readouterr().out
