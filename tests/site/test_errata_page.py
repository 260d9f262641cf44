"""Pages of a release name its known errors, and those of other versions do not."""

from pathlib import Path

from spindlemark.core.paths import RELEASES
from spindlemark.site import errata_page, page_parts
from spindlemark.site.sources import CURRENT, Sources


def _sources(version: str, releases: Path = RELEASES) -> Sources:
    unused = Path("unused")
    return Sources(version, [], unused, unused, unused, unused, unused, unused, releases)


def test_a_release_names_its_errors_with_figures_in_their_units():
    found = {entry["name"]: entry for entry in errata_page.build(_sources("2026.11.2"))}
    assert list(found)[:2] == ["streams-above-the-device", "aging-above-the-device"]
    (streams,) = found["streams-above-the-device"]["figures"]
    assert (streams["testbed"], streams["quantity"]) == ("sata-ssd", "Streams")
    assert streams["experiments"][0] == {"name": "ext4--25-mbit", "values": "192, 193"}
    files = found["name-of-a-large-file"]["figures"][0]
    assert (files["quantity"], files["experiments"][0]["values"]) == ("file_bytes", "537 MB")
    rates = found["bonnie-without-rates"]["figures"][0]
    assert rates["experiments"][0]["values"] == errata_page.NONE
    assert "goodput-is-the-limit" not in found


def test_the_page_data_have_their_declared_form():
    assert page_parts.checked("errata", errata_page.build(_sources("2026.11.6")))


def test_unreleased_results_and_other_projects_have_no_errata(tmp_path):
    assert errata_page.build(_sources(CURRENT)) == []
    assert errata_page.build(_sources("2026.11.2", tmp_path / "releases")) == []
