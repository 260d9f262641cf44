"""Folders that only we can change."""

import os

import pytest

from spindlemark.core import private_files
from spindlemark.core.errors import UserError


def test_a_folder_is_made_once_and_kept(tmp_path):
    made = private_files.folder(tmp_path / "a" / "b")
    (made / "file").touch()
    assert private_files.folder(made) == made and (made / "file").exists()
    assert made.stat().st_mode & 0o777 == 0o755


def test_a_folder_that_others_can_write_to_is_refused(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o1777)
    with pytest.raises(UserError, match="others can write to it"):
        private_files.folder(tmp_path / "open")


def test_a_link_and_a_file_are_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").touch()
    for name in ("link", "file"):
        with pytest.raises((UserError, FileExistsError)), private_files.opened(tmp_path / name):
            pass


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a folder away needs root")
def test_a_folder_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "theirs").mkdir(mode=0o755)
    os.chown(tmp_path / "theirs", 65534, 65534)
    with pytest.raises(UserError, match="belongs to another user"):
        private_files.folder(tmp_path / "theirs")


def test_a_note_is_kept_until_it_is_forgotten_and_only_ours_to_read(tmp_path, monkeypatch):
    monkeypatch.setattr(private_files, "RUN", tmp_path / "run")
    assert private_files.read_note("one") == {}
    private_files.write_note("one", {"a": 1})
    private_files.write_note("one", {"a": 2})
    assert private_files.read_note("one") == {"a": 2} and private_files.read_note("two") == {}
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "run").iterdir()] == [0o600]
    with monkeypatch.context() as later:
        later.setattr(private_files, "boot", lambda: "another start of the machine")
        assert private_files.read_note("one") == {}
    private_files.remove_note("one")
    private_files.remove_note("one")
    assert private_files.read_note("one") == {}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"boot": 1}', "\xff"])
def test_a_damaged_note_says_nothing(tmp_path, monkeypatch, text):
    monkeypatch.setattr(private_files, "RUN", tmp_path)
    (tmp_path / "one.json").write_text(text, encoding="latin-1")
    assert private_files.read_note("one") == {}


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("elsewhere")])
def test_what_is_no_note_is_refused(tmp_path, monkeypatch, make):
    monkeypatch.setattr(private_files, "RUN", tmp_path)
    make(tmp_path / "one.json")
    with pytest.raises(UserError, match="one.json: is not a file of this program"):
        private_files.read_note("one")


def test_a_folder_is_emptied_and_no_link_followed(tmp_path):
    (tmp_path / "ours" / "below").mkdir(parents=True)
    (tmp_path / "film").touch()
    (tmp_path / "ours" / "below" / "link").symlink_to(tmp_path)
    (tmp_path / "ours" / "link").symlink_to(tmp_path)
    with private_files.opened(tmp_path / "ours") as inside:
        private_files.empty(inside)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["film", "ours"]
