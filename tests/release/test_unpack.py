"""Unpacking: each release that had format 1 comes back byte for byte."""

import hashlib
import json

import pytest

from release_inputs import change, content
from spindlemark.core.errors import UserError
from spindlemark.core.paths import RELEASES
from spindlemark.release.unpack import unpack

# SHA-256 of the manifests of format 1, each of which lists the SHA-256 of every other file of its release.
FORMER = {
    "2026.11": ("2026.11", "f1bc291cbe653119acadc46b239f09a1a412ccc03124bac04d36ea58ae54a55c"),
    "2026.11.1": ("2026.12", "437d3676fd0395b7a29a5d631acee10b6dbe45e1e745177b7e6e977190d3bedc"),
    "2026.11.2": ("2026.12.1", "57f62c90c82dc00bd30bac02adcddd46542f20e5334603f9b7e14a3993f211ea"),
    "2026.11.3": ("2026.12.2", "d50e899186ce670026d1ca673c82f43cc5b70e6a56d6744f151af9a5d1fa8029"),
    "2026.11.4": ("2026.12.3", "899f3522b7436cf30e8301a84f74a08a6753a97d11cc31835295450ac15344cb"),
    "2026.11.5": ("2026.12.4", "8d0e7e6c88c1c25eb7a968fb3f17bf3ee9ddf0bedab79fe27fe6d82fbfe7ff55"),
    "2026.11.6": ("2026.12.5", "6c87485a6b8dcb281b8e21c2c9fd7f512128cb21a815eb424646a31bf1bf642a"),
}


@pytest.mark.parametrize("version", FORMER)
def test_the_files_of_format_1_come_back_byte_for_byte(version, tmp_path):
    former, sha256 = FORMER[version]
    count = unpack(RELEASES / version, tmp_path / "plain")
    found = {path: hashlib.sha256(data).hexdigest() for path, data in content(tmp_path / "plain").items()}
    whole = json.loads((tmp_path / "plain/manifest.json").read_text())
    assert found.pop("manifest.json") == sha256
    assert whole["version"] == former and len(found) == count - 1
    assert found == {file["path"]: file["sha256"] for file in whole["files"]}


def test_a_release_of_format_2_becomes_plain_files(frozen, given, tmp_path):
    unpack(frozen, tmp_path / "plain")
    plain = content(tmp_path / "plain")
    assert plain["findings.json"] == given["findings"].read_bytes()
    assert plain["measurements.csv"].startswith(b"source,")
    for path in given["records"]:
        assert plain["/".join(("records", *path.parts[-5:]))] == path.read_bytes()


def test_nothing_is_left_of_what_cannot_be_unpacked(frozen, tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(UserError, match="exists"):
        unpack(frozen, tmp_path / "there")
    with pytest.raises(UserError, match="has no commit"):
        unpack(RELEASES / "2026.11.6", tmp_path / "plain", code=tmp_path)
    change(frozen / "records.parquet")
    with pytest.raises(UserError, match=r"records\.parquet was changed"):
        unpack(frozen, tmp_path / "plain")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["releases", "there"]
