"""Releases in one file each: on the site only if its owner wants them, and then at an address that the pages know."""

import zipfile
from datetime import date

import pytest

import built
from spindlemark.release import publication
from spindlemark.release.publication import Publication
from spindlemark.site.deploy import archives

SITE = "https://spindlemark.example/media/"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("archives")
    built.freeze(root / "a", "2026.11", date(2026, 11, 21), root / "releases")
    return root


def files(folder):
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


def test_no_archive_is_on_the_site_unless_its_owner_wants_it(project, tmp_path):
    archives.add(tmp_path / "site", SITE, project / "releases", tmp_path / "publications")
    assert files(tmp_path) == []


def test_a_wanted_archive_is_on_the_site_and_its_address_is_recorded(project, tmp_path):
    archives.record(SITE, project / "releases", tmp_path / "publications")
    place = "2026.11/download/spindlemark-2026.11.zip"
    assert publication.read("2026.11", tmp_path / "publications").archive == f"{SITE}{place}"
    archives.add(tmp_path / "site", SITE, project / "releases", tmp_path / "publications")
    assert files(tmp_path / "site") == [place]
    with zipfile.ZipFile(tmp_path / "site" / place) as whole:
        assert {"records.parquet", "ro-crate-metadata.json"} <= {name.rpartition("/")[2] for name in whole.namelist()}


def test_an_archive_elsewhere_stays_there(project, tmp_path):
    elsewhere = "https://example.org/spindlemark-2026.11.zip"
    publication.add("2026.11", Publication(archive=elsewhere), tmp_path / "publications")
    archives.record(SITE, project / "releases", tmp_path / "publications")
    archives.add(tmp_path / "site", SITE, project / "releases", tmp_path / "publications")
    assert publication.read("2026.11", tmp_path / "publications").archive == elsewhere
    assert files(tmp_path) == ["publications/2026.11.yaml"]
