"""A release that somebody else made: only what a release has is read, and nothing in it can lead anywhere else."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from release_inputs import change
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.release import contents, manifest
from spindlemark.release import versions as release
from spindlemark.site import downloads
from spindlemark.site.sources import Sources

EVIL = "<script>alert(1)</script>"
RECORD = "loop/family/ext4--picture/0123456789ab/rep-1.json"


def whole(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text())


def rewrite(folder: Path, **changes) -> None:
    (folder / "manifest.json").write_text(json.dumps(whole(folder) | changes))


def add(folder: Path, name: str, text: str = EVIL) -> None:
    """A file that the manifest lists with its true size and hash, as only its maker could."""
    path = folder / name
    if not Path(name).is_absolute() and ".." not in name:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    entry = {
        "path": name,
        "bytes": len(text.encode()),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "media_type": manifest.MEDIA_TYPES.get(path.suffix, "application/octet-stream"),
    }
    rewrite(folder, files=[*whole(folder)["files"], entry])


def command(*words) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)], text=True, capture_output=True, check=False, timeout=60
    )


@pytest.mark.parametrize("version", ["2026.11", "2026.11.1"])
def test_the_releases_of_this_project_pass(version):
    assert release.verify(paths.RELEASES / version).version == version


@pytest.mark.parametrize(
    "name",
    [
        "evil.html",
        "index.html",
        "README.html",
        "findings.json.zst.html",
        "evil.svg",
        "evil.js",
        "evil.xhtml",
        "measurements.html",
        ".htaccess",
        "readme.md",
        "README.MD",
        "Findings.json.zst",
        "manifest.json",
        "ﬁndings.json.zst",
        "README.md\u0301",
        "README．md",
        "../evil.json",
        "/etc/passwd",
        "//etc/passwd",
        "config/../findings.json.zst",
        "./findings.json.zst",
        "records//x",
        "",
        ".",
        "..",
        "config/evil.html",
        "config/../README.md",
        "config/other/x.yaml",
        "config/testbeds/sub/x.yaml",
        "config/.x.yaml",
        "records/evil.html",
        RECORD + ".html",
        RECORD.replace("rep-1", "rep-01"),
        RECORD.replace("rep-1", "evil"),
        RECORD.replace("loop", ".."),
        RECORD.replace("loop", "a b"),
        RECORD.replace("loop", "-x"),
        RECORD.replace("loop", "lööp"),
        RECORD.replace("0123456789ab", "0123456789AB"),
        RECORD.replace("loop", "x" * 2000),
        "findings.json.zst\n",
        "findings.json.zst\0",
    ],
)
def test_a_name_that_no_release_has_is_refused(frozen, name):
    rewrite(
        frozen,
        files=[
            *whole(frozen)["files"],
            {"path": name, "bytes": 0, "sha256": hashlib.sha256().hexdigest(), "media_type": "text/html"},
        ],
    )
    for refused in (release.read, release.verify, lambda folder: release.versions(folder.parent)):
        with pytest.raises(UserError) as caught:
            refused(frozen)
        assert repr(name)[:100] in caught.value.problem and "manifest.json" in caught.value.problem


def test_a_listed_page_is_refused_by_every_stage_that_reads_releases(frozen, tmp_path):
    add(frozen, "evil.html")
    for words in (
        ("spindlemark.release", "--folder", frozen.parent, "versions", "--output", tmp_path / "versions.json"),
        ("spindlemark.release", "--folder", frozen.parent, "verify", "2026.11"),
        ("spindlemark.release", "--folder", frozen.parent, "database", "2026.11", "--output", tmp_path / "db.duckdb"),
    ):
        done = command(*words)
        assert done.returncode == 2 and "evil.html" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "versions.json").exists() and not (tmp_path / "db.duckdb").exists()


def test_a_file_that_is_not_listed_is_never_offered(frozen, tmp_path):
    (frozen / "evil.html").write_text(EVIL)
    none = Path("none")
    sources = Sources("2026.11", [], none, none, none, none, none, none, frozen.parent)
    offered = downloads.offer(sources, tmp_path)
    assert "evil.html" not in {entry["name"] for entry in offered}
    assert {path.name for path in (tmp_path / "download").iterdir()} == {entry["name"] for entry in offered}
    with pytest.raises(UserError, match=r"evil\.html does not belong"):
        release.verify(frozen)


def test_names_that_are_one_where_case_is_ignored_are_refused(frozen):
    add(frozen, "config/own.yaml")
    add(frozen, "config/OWN.yaml")
    with pytest.raises(UserError, match="listed twice"):
        release.read(frozen)
    assert contents.problem([RECORD, RECORD], contents.is_record) is not None
    assert contents.problem([RECORD], contents.is_record) is None


@pytest.mark.parametrize("name", ["findings.json.zst", "config", "config/testbeds/loop.yaml"])
def test_a_link_in_the_place_of_a_file_or_folder_is_refused(frozen, name):
    shutil.move(frozen / name, frozen.parent / "elsewhere")
    (frozen / name).symlink_to(frozen.parent / "elsewhere")
    with pytest.raises(UserError):
        release.verify(frozen)


DAMAGE = {
    "nothing": b"",
    "no JSON": b"{",
    "other bytes": b"\xff\xfe\0",
    "a list": b"[]",
    "a number": b"1",
    "null": b"null",
    "deep": b"[" * 200_000,
    "deep inside": b'{"files":' * 100_000,
    "digits": b'{"manifest_format":' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_manifest_is_told_in_one_line(frozen, tmp_path, damage):
    (frozen / "manifest.json").write_bytes(DAMAGE[damage])
    done = command("spindlemark.release", "--folder", frozen.parent, "versions", "--output", tmp_path / "versions.json")
    assert done.returncode == 2 and "manifest.json" in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr) < 2000


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("files", None),
        ("files", {}),
        ("files", ["README.md"]),
        ("files", [{"path": "README.md"}]),
        ("files", 7),
        ("version", 2026.11),
        ("released", "2026-13-01"),
        ("released", "9" * 5000),
        ("measured", None),
        ("measured", {}),
        ("more", 1),
        ("manifest_format", 1),
    ],
)
def test_a_wrong_value_is_told_by_its_key(frozen, key, value):
    rewrite(frozen, **{key: value})
    with pytest.raises(UserError) as caught:
        release.read(frozen)
    assert f"manifest.json: {key}" in caught.value.problem


def test_no_key_can_be_missing(frozen):
    complete = whole(frozen)
    for key in complete.keys() - {"manifest_format"}:
        (frozen / "manifest.json").write_text(json.dumps({k: v for k, v in complete.items() if k != key}))
        with pytest.raises(UserError, match=key):
            release.read(frozen)


@pytest.mark.parametrize(
    "put",
    [
        lambda p: p.mkdir(),
        os.mkfifo,
        lambda p: p.symlink_to("/dev/zero"),
        lambda p: p.symlink_to("README.md"),
        lambda p: p.symlink_to(p.name),
    ],
    ids=["folder", "pipe", "device", "link", "circle"],
)
def test_what_is_no_file_in_the_manifests_place_is_told(frozen, tmp_path, put):
    (frozen / "manifest.json").unlink()
    put(frozen / "manifest.json")
    done = command("spindlemark.release", "--folder", frozen.parent, "versions", "--output", tmp_path / "versions.json")
    assert (
        done.returncode == 2
        and "manifest.json: is not a regular file" in done.stderr
        and "Traceback" not in done.stderr
    )


def test_a_huge_manifest_is_not_read(frozen):
    os.truncate(frozen / "manifest.json", 1 << 40)
    with pytest.raises(UserError, match="too large for a manifest"):
        release.read(frozen)


def test_pipes_below_a_release_are_not_read(frozen, tmp_path):
    """The database is built beside the check of all releases: it must not wait for what the check refuses."""
    os.mkfifo(frozen / "config/pipe.yaml")
    done = command(
        "spindlemark.release", "--folder", frozen.parent, "database", "2026.11", "--output", tmp_path / "db.duckdb"
    )
    assert done.returncode == 2 and "pipe.yaml does not belong" in done.stderr


def test_a_changed_file_is_found_before_the_database_is_built(frozen, tmp_path):
    change(frozen / "records.parquet")
    done = command(
        "spindlemark.release", "--folder", frozen.parent, "database", "2026.11", "--output", tmp_path / "db.duckdb"
    )
    assert done.returncode == 2 and "records.parquet was changed" in done.stderr
