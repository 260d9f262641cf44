"""Names of files and folders that no command can use: one clear line and exit code 2, whatever the option."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from spindlemark.cli import main, snakemake_process
from spindlemark.core import atomic_write, paths
from spindlemark.core.errors import UserError, as_user_error
from spindlemark.release.contributions import export, imported
from spindlemark.release.unpack import unpack
from spindlemark.site.deploy.folder_target import Folder
from spindlemark.site.deploy.zip_target import Archive

RUNNER = CliRunner()
COMMANDS = [
    ["import"],
    ["import", "--check"],
    ["release", "unpack", "2026.11", "--output"],
    ["crate", "2026.11", "--output"],
    ["export", "--release", "2026.11", "--yes", "--output"],
    ["deploy", "--yes", "--folder"],
    ["deploy", "--yes", "--archive"],
]
NAMES = {
    "long name": ("a" * 300, "the name is too long"),
    "long name of a folder": ("a" * 300 + "/b", "the name is too long"),
    "long path": ("a/" * 2500 + "b", "the name is too long"),
    "new line": ("a\nb", "contains a control character"),
    "escape": ("a\x1b[2Jb", "contains a control character"),
    "not UTF-8": ("a\udcffb", "is not UTF-8"),
}
USES = {
    "import": lambda path: imported.checked(path, 0.2),
    "unpack": lambda path: unpack(paths.RELEASES / "2026.11", path),
    "crate": lambda path: atomic_write.write(path, "x"),
    "export": lambda path: export.write(export.Packed(None, b"", [], {}, set()), path),
    "deploy to a folder": Folder,
    "deploy to an archive": Archive,
}


@pytest.fixture(autouse=True)
def own_lock(monkeypatch, tmp_path):
    """Other tests hold the lock of this project."""
    monkeypatch.setattr(snakemake_process, "BUILD", tmp_path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_impossible_name_is_an_error_of_one_line(tmp_path, words, name):
    text, reason = NAMES[name]
    done = RUNNER.invoke(main.app, [*words, f"{tmp_path}/{text}.zip"])
    told = as_user_error(done.exception)
    assert told is not None, done.exception
    assert reason in told.problem
    assert "\n" not in told.problem and len(told.problem) < 300
    assert {path.name for path in tmp_path.iterdir()} <= {"run.lock"}


@pytest.mark.parametrize("words", [each for each in COMMANDS if each[0] != "export"], ids=" ".join)
def test_an_empty_name_is_an_error(words, monkeypatch, tmp_path):
    """For an export it is this folder."""
    monkeypatch.chdir(tmp_path)
    done = RUNNER.invoke(main.app, [*words, ""])
    assert isinstance(done.exception, UserError)


@pytest.mark.parametrize("use", ["crate", "unpack"])
def test_a_name_with_no_room_for_a_temporary_one_is_an_error(tmp_path, use):
    with pytest.raises(UserError, match="the name is too long"):
        USES[use](tmp_path / ("b" * 250))
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("use", USES)
def test_a_folder_that_cannot_be_read_is_an_error(needs_root, tmp_path, use):
    (tmp_path / "closed").mkdir(0o700)
    os.seteuid(65534)
    try:
        with pytest.raises(UserError, match="closed/a/b.zip: .*Permission denied"):
            USES[use](tmp_path / "closed/a/b.zip")
    finally:
        os.seteuid(0)


def test_the_command_line_ends_with_code_2(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "spindlemark", "import", tmp_path / ("a" * 300)],
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 2


@pytest.mark.parametrize("words", [["plan", "--testbed", ""], ["plan", "--testbed", "a" * 300]], ids=["empty", "long"])
def test_a_testbed_of_an_impossible_name_is_an_error(words):
    assert "no testbed is called" in str(RUNNER.invoke(main.app, words).exception)


def test_a_special_file_is_not_replaced(tmp_path):
    """Root could replace a device, such as /dev/null."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match="is not a regular file"):
        atomic_write.write(tmp_path / "pipe", "x")
    with pytest.raises(UserError, match="is not a regular file"):
        RUNNER.invoke(main.app, ["crate", "2026.11", "--output", str(tmp_path / "pipe")], catch_exceptions=False)
    assert (tmp_path / "pipe").is_fifo() and os.listdir(tmp_path) == ["pipe"]


def test_an_export_into_a_missing_folder_fails_before_it_packs(tmp_path):
    done = RUNNER.invoke(main.app, ["export", "--release", "2026.11", "--yes", "--output", f"{tmp_path}/none/a.zip"])
    told = as_user_error(done.exception)
    assert told is not None
    assert f"no folder {tmp_path}/none" in told.problem
