"""Names of commands and options: former names work and are not listed."""

import pytest
from typer.testing import CliRunner

from spindlemark.cli import main, run, snakemake_process
from spindlemark.cli.terminal import disk_consent, recommendation_table
from spindlemark.core.process import tools

RUNNER = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})


@pytest.mark.parametrize(("former", "name"), [("bundle", "export"), ("join", "import"), ("publish", "deploy")])
def test_former_names_of_commands_still_work(former, name):
    listed = [word for line in RUNNER.invoke(main.app, ["--help"]).output.splitlines() for word in line.split()[:2]]
    assert name in listed
    assert former not in listed
    new, old = (RUNNER.invoke(main.app, [each, "--help"]) for each in (name, former))
    assert (new.exit_code, old.exit_code) == (0, 0)
    options = [{word for word in shown.output.split() if word.startswith("--")} for shown in (new, old)]
    assert options[0] == options[1]


@pytest.mark.parametrize(
    ("words", "adaptive", "new_session"),
    [
        ([], True, False),
        (["--no-adaptive"], False, False),
        (["--once"], False, False),
        (["--new-session"], True, True),
        (["--again", "--once"], False, True),
    ],
)
def test_former_names_of_options_still_work(monkeypatch, tmp_path, words, adaptive, new_session):
    calls = []
    monkeypatch.setattr(snakemake_process, "BUILD", tmp_path)  # other tests hold the lock of this project
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(tools, "missing", lambda group: [])
    monkeypatch.setattr(tools, "install", lambda packages, ask: None)
    monkeypatch.setattr(disk_consent, "require_consent", lambda *given: None)
    monkeypatch.setattr(recommendation_table, "show", lambda console: None)
    monkeypatch.setattr(run, "measure", lambda *given, **how: calls.append(how))
    done = RUNNER.invoke(main.app, ["run", "--no-site", *words])
    assert done.exit_code == 0, done.output
    assert calls == [{"adaptive_sampling": adaptive, "new_session": new_session, "site": False}]
    shown = RUNNER.invoke(main.app, ["run", "--help"]).output
    assert "--once" not in shown
    assert "--again" not in shown
