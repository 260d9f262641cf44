"""What is told of the project: its commit, and nothing that a repository's configuration names is run for it."""

import os
import subprocess
from pathlib import Path

import pytest

from spindlemark.core import project
from spindlemark.core.process.programs import find

pytestmark = pytest.mark.skipif(find("git") is None, reason="needs git")
NOBODY = 65534
NEITHER = {"project.commit": None, "project.changed": None}


def git(folder: Path, *words: str) -> str:
    settings = ("-c", "safe.directory=*", "-c", "user.name=x", "-c", "user.email=x@example.org")
    done = subprocess.run(["git", *settings, "-C", folder, *words], check=True, text=True, capture_output=True)
    return done.stdout.strip()


def repository(folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "file").write_text("one\n")
    git(folder, "add", "file")
    git(folder, "commit", "-q", "-m", "One")
    return git(folder, "rev-parse", "HEAD")


def armed(folder: Path, witness: Path) -> None:
    """Have its configuration, hooks and attributes name a program wherever git would start one for a status."""
    script = witness.with_suffix(".sh")
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {witness}\ncat\n')
    script.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.external",
        "core.pager",
        "core.sshCommand",
        "core.askPass",
        "credential.helper",
    ):
        git(folder, "config", key, str(script))
    git(folder, "config", "filter.evil.required", "true")
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* filter=evil\n")
    (folder / ".gitattributes").write_text("* filter=evil\n")
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (folder / ".git" / "hooks" / hook).parent.mkdir(exist_ok=True)
        (folder / ".git" / "hooks" / hook).write_text(script.read_text())
        (folder / ".git" / "hooks" / hook).chmod(0o755)
    (folder / "file").write_text("two\n")


def give(folder: Path, user: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)


def test_commit_and_changes_are_told(tmp_path):
    commit = repository(tmp_path / "own")
    assert project.state(tmp_path / "own") == {"project.commit": commit, "project.changed": False}
    (tmp_path / "own" / "new").touch()
    assert project.state(tmp_path / "own")["project.changed"] is False
    (tmp_path / "own" / "file").write_text("other\n")
    assert project.state(tmp_path / "own") == {"project.commit": commit, "project.changed": True}
    git(tmp_path / "own", "pack-refs", "--all")
    assert project.state(tmp_path / "own")["project.commit"] == commit


def test_an_armed_repository_runs_nothing_of_its_own(tmp_path):
    """The clone of a user, who measures with sudo: its commit is told all the same."""
    folder, witness = tmp_path / "clone", tmp_path / "witness"
    commit = repository(folder)
    armed(folder, witness)
    subprocess.run(["git", "-c", "safe.directory=*", "-C", folder, "status", "--porcelain"], capture_output=True)
    assert witness.exists(), "the trap does not work"
    witness.unlink()
    if os.geteuid() == 0:
        give(folder, NOBODY)
    assert project.state(folder) == {"project.commit": commit, "project.changed": True}
    assert not witness.exists()


def test_a_repository_above_is_none_of_ours(tmp_path):
    repository(tmp_path / "above")
    armed(tmp_path / "above", tmp_path / "witness")
    (tmp_path / "above" / "project").mkdir()
    if os.geteuid() == 0:
        give(tmp_path / "above", NOBODY)
    assert project.state(tmp_path / "above" / "project") == NEITHER
    assert not (tmp_path / "witness").exists()


@pytest.mark.usefixtures("needs_root")
def test_a_repository_of_somebody_else_in_our_folder_is_not_asked(tmp_path):
    folder = tmp_path / "own"
    repository(folder)
    armed(folder, tmp_path / "witness")
    give(folder / ".git", NOBODY)
    assert project.state(folder) == NEITHER and not (tmp_path / "witness").exists()


def test_the_callers_own_settings_of_git_do_not_reach_it(tmp_path, monkeypatch):
    commit = repository(tmp_path / "own")
    repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(tmp_path / "none"))
    assert project.state(tmp_path / "own") == {"project.commit": commit, "project.changed": False}


@pytest.mark.parametrize("text", [None, "{}", "[]", '{"install": []}', '{"install": [{"metadata": {}}]}', "x"])
def test_a_report_that_says_nothing_is_no_error(tmp_path, text):
    if text is not None:
        (tmp_path / "installed.json").write_text(text)
    assert project.installer(tmp_path / "installed.json") == {"python.uv.version": None, "python.uv.sha256": None}
