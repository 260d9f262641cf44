"""Folders that only we can change."""

import os

import pytest

from spindlemark import private
from spindlemark.errors import UserError


def test_a_folder_is_made_once_and_kept(tmp_path):
    made = private.folder(tmp_path / "a" / "b")
    (made / "file").touch()
    assert private.folder(made) == made and (made / "file").exists()
    assert made.stat().st_mode & 0o777 == 0o755


def test_a_folder_that_others_can_write_to_is_refused(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o1777)
    with pytest.raises(UserError, match="others can write to it"):
        private.folder(tmp_path / "open")


def test_a_link_and_a_file_are_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").touch()
    for name in ("link", "file"):
        with pytest.raises((UserError, FileExistsError)), private.opened(tmp_path / name):
            pass


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a folder away needs root")
def test_a_folder_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "theirs").mkdir(mode=0o755)
    os.chown(tmp_path / "theirs", 65534, 65534)
    with pytest.raises(UserError, match="belongs to somebody else"):
        private.folder(tmp_path / "theirs")
