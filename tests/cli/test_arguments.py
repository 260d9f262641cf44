"""Arguments are checked before anything is installed or downloaded."""

import pytest
from typer.testing import CliRunner

from spindlemark.cli import main, snakemake_process
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs

RUNNER = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """A machine without any tool: the file in which its apt-get notes that it was called, and fails."""
    system, log = tmp_path / "bin", tmp_path / "log"
    system.mkdir()
    (system / "env").symlink_to("/usr/bin/env")
    (system / "apt-get").write_text(f'#!/bin/sh\necho "$*" >> {log}\nexit 1\n')
    (system / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(system))
    monkeypatch.setattr(programs, "SYSTEM_FOLDERS", ())
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(snakemake_process, "BUILD", tmp_path)  # other tests hold the lock of this project
    return log


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--family", "nonsense"], "no family is called 'nonsense'"),
        (["--testbed", "nonsense"], "no testbed is called 'nonsense'"),
        (["--profile", "nonsense"], "no profile is called 'nonsense'"),
        (["--only", "nonsense"], "no experiment has nonsense in its name"),
        (["--part", "loop-1"], "profile quick has no parts"),
        (["--profile", "standard", "--part", "nonsense"], "profile standard has no part nonsense"),
        (
            ["--profile", "standard", "--part", "loop-1", "--only", "ext4"],
            "part: 'loop-1' cannot be combined with only",
        ),
        (["--erase", "nonsense"], "--erase nonsense: no disk of this run has that serial number"),
    ],
)
def test_run_installs_nothing_for_a_wrong_argument(installed, words, problem):
    done = RUNNER.invoke(main.app, ["run", "--yes", *words])
    assert isinstance(done.exception, UserError)
    assert problem in str(done.exception)
    assert not installed.exists()


@pytest.mark.parametrize(
    "words", [["--repetitions", "0"], ["--budget", "-1"], ["--budget", "nan"], ["--budget", "many"], ["--nonsense"]]
)
def test_run_installs_nothing_for_a_number_out_of_range(installed, words):
    assert RUNNER.invoke(main.app, ["run", "--yes", *words]).exit_code == 2
    assert not installed.exists()


@pytest.mark.parametrize("words", [["tests/nonsense.py"], ["--nonsense"], ["tests/cli/test_arguments.py::nonsense"]])
def test_the_test_command_installs_nothing_for_a_wrong_argument(installed, capfd, words):
    done = RUNNER.invoke(main.app, ["test", "--yes", *words])
    assert done.exit_code == 4, "as pytest itself"
    assert "nonsense" in done.output + capfd.readouterr().out
    assert not installed.exists()


def test_with_right_arguments_both_install(installed):
    """The machine of these tests lacks tools, and its apt-get is called."""
    for words in (["run", "--family", "aging"], ["test", "tests/cli/test_arguments.py", "-k", "out_of_range"]):
        installed.unlink(missing_ok=True)
        assert isinstance(RUNNER.invoke(main.app, [*words, "--yes"]).exception, UserError)
        assert installed.read_text() == "update -qq\n"
