"""The record of publication: what a release learns after it was frozen, and what is made from it."""

import json
import os
import subprocess
import sys

import jsonschema
import pytest
import yaml

from citing import DAY, measured, vendored
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.release import publication
from spindlemark.release.citation import formats as citation
from spindlemark.release.publication import Publication

VERSION = "2026.11"
SAID = {
    "site": "https://example.org/media",
    "repository": "https://example.org/code",
    "doi": "10.5281/zenodo.11",
    "concept_doi": "10.5281/zenodo.10",
}


def test_without_a_record_nothing_is_known(tmp_path):
    assert publication.read(VERSION, tmp_path / "absent") == Publication()
    assert publication.site(tmp_path / "absent") is None
    assert Publication().of(citation.load()) == citation.load()


def test_versions_share_all_but_their_doi(tmp_path):
    publication.add("2026.09", Publication(site="https://example.org/old"), tmp_path)
    publication.add(VERSION, Publication(**SAID), tmp_path)
    publication.add("2026.12", Publication(doi="10.5281/zenodo.12"), tmp_path)
    assert publication.read("current", tmp_path) == Publication(**SAID | {"doi": None})
    assert publication.read("2026.12", tmp_path) == Publication(**SAID | {"doi": "10.5281/zenodo.12"})
    assert publication.read("2026.09", tmp_path).site == "https://example.org/old", "what a version says itself holds"
    assert publication.site(tmp_path) == "https://example.org/media/"


def test_what_is_said_later_is_added(tmp_path):
    publication.add(VERSION, Publication(site=SAID["site"]), tmp_path)
    publication.add(VERSION, Publication(doi=SAID["doi"]), tmp_path)
    assert publication.read(VERSION, tmp_path) == Publication(site=SAID["site"], doi=SAID["doi"])


@pytest.mark.parametrize(
    "text", ["site: ftp://x", "doi: 11.1/x", "doi: [1]", "dio: 10.1234/x", "site: 'https://a b'", "- x"]
)
def test_a_bad_record_is_named(tmp_path, text):
    (tmp_path / f"{VERSION}.yaml").write_text(text)
    with pytest.raises(UserError, match=rf"{VERSION}\.yaml"):
        publication.read(VERSION, tmp_path)


def test_every_format_says_where_it_is_found():
    files = citation.files(Publication(**SAID).of(citation.load()), VERSION, DAY, measured())
    for name, text in files.items():
        assert "10.5281/zenodo.11" in text and "https://example.org/media/2026.11/" in text, name
    cff = yaml.load(files["CITATION.cff"], Loader=yaml.BaseLoader)
    jsonschema.validate(cff, vendored("check_jsonschema", "builtin_schemas/vendor/citation-file-format.json"))
    linked = json.loads(files["citation.datacite.json"])
    jsonschema.Draft201909Validator(vendored("datacite", "schemas/datacite-v4.5.json")).validate(linked)
    assert cff["identifiers"][0]["value"] == linked["relatedIdentifiers"][0]["relatedIdentifier"] == SAID["concept_doi"]


def call(root, *words):
    return subprocess.run(
        [sys.executable, "-P", "-m", "spindlemark", "cite", *words],
        cwd=root,
        text=True,
        check=False,
        capture_output=True,
        env=os.environ | {"SPINDLEMARK_ROOT": str(root), "COLUMNS": "200"},
    )


def test_one_command_puts_a_doi_in_and_changes_no_released_byte(tmp_path):
    folder = tmp_path / "data/releases" / VERSION
    (folder / "config").mkdir(parents=True)
    for name in ("manifest.json", "config/citation.yaml"):
        (folder / name).write_bytes((paths.RELEASES / VERSION / name).read_bytes())
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "has no DOI yet" in call(tmp_path, VERSION).stdout
    done = call(tmp_path, VERSION, "--doi", "https://doi.org/10.5281/zenodo.11")
    assert done.returncode == 0 and "https://doi.org/10.5281/zenodo.11" in done.stdout, done.stderr
    assert yaml.safe_load((tmp_path / f"data/publications/{VERSION}.yaml").read_text()) == {"doi": "10.5281/zenodo.11"}
    bad = call(tmp_path, VERSION, "--concept-doi", "zenodo.11")
    assert bad.returncode == 2 and "--concept-doi" in bad.stderr and "write it like 10.5281/" in bad.stderr
    assert call(tmp_path, "../x", "--doi", "10.1234/x").returncode == 2
    assert call(tmp_path, "2026.10", "--doi", "10.1234/x").returncode == 2
    assert not (tmp_path / "data/publications/2026.10.yaml").exists()
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
