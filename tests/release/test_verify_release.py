"""Checking a release: every change to one is noticed."""

import shutil

import pytest

from release_inputs import change
from spindlemark.core.errors import UserError
from spindlemark.release import versions as release


def test_an_untouched_release_is_verified(frozen):
    assert release.verify(frozen).version == "2026.11"


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: change(folder / "findings.json.zst"), "findings.json.zst was changed"),
        (lambda folder: change(folder / "records.parquet"), "records.parquet was changed"),
        (lambda folder: (folder / "measurements.parquet").unlink(), "measurements.parquet is missing"),
        (lambda folder: (folder / "notes.txt").write_text("x"), "notes.txt does not belong"),
        (lambda folder: (folder / "config" / ".hidden").write_text(""), ".hidden does not belong"),
        (lambda folder: (folder / "link").symlink_to("README.md"), "link does not belong"),
        (lambda folder: (folder / "manifest.json").unlink(), "no such release"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json"),
        (
            lambda folder: shutil.move(folder / "README.md", folder / "readme.md"),
            "README.md is missing; readme.md does not",
        ),
    ],
    ids=range(9),
)
def test_every_change_is_noticed(frozen, damage, told):
    damage(frozen)
    with pytest.raises(UserError) as caught:
        release.verify(frozen)
    assert told in caught.value.problem


def test_a_file_replaced_by_a_link_to_its_copy_is_noticed(frozen):
    shutil.move(frozen / "README.md", frozen.parent / "copy")
    (frozen / "README.md").symlink_to(frozen.parent / "copy")
    with pytest.raises(UserError, match="not a regular file"):
        release.verify(frozen)


def test_a_renamed_release_is_noticed(frozen):
    moved = frozen.rename(frozen.parent / "2026.12")
    with pytest.raises(UserError, match="is of version 2026.11"):
        release.verify(moved)
