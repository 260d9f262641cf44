"""Raw records in a browser: shown as they were written, whatever version they belong to, and found under their former address."""

import hashlib
import json

import pytest

from spindlemark.core.slug import slug
from spindlemark.release import manifest


@pytest.fixture
def recorded(made):
    """Path and text of one record of the first release."""
    return next(
        (path, content.decode())
        for path, content in manifest.records(made / "releases" / "2026.11")
        if path.endswith("rep-2.json")
    )


def page_of(path):
    testbed, _, experiment = map(slug, path.split("/")[:3])
    return f"experiment/{testbed}/{experiment}/"


def test_a_record_is_shown_and_saved_as_it_was_written(serve, site, chromium, recorded):
    path, text = recorded
    page = chromium.new_page()
    page.goto(f"{serve(site)}2026.11/{page_of(path)}")
    page.get_by_role("link", name="rep-2.json", exact=True).click()
    page.wait_for_selector("#record:not([hidden])")
    assert page.locator("#record .text").text_content() == text
    assert page.locator("#record .sum").text_content() == hashlib.sha256(text.encode()).hexdigest()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the file").click()
    assert saved.value.suggested_filename == "rep-2.json" and saved.value.path().read_text() == text
    page.get_by_role("link", name="spec.json").click()
    page.wait_for_selector("#record:not([hidden])")
    assert json.loads(page.locator("#record .text").text_content())["identity"] == path.split("/")[3]
    page.close()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "names no record"),
        ("?pack=../../index&file=rep-1.json", "names no record"),
        (f"?pack={'0' * 64}&file=rep-1.json", "cannot be shown"),
    ],
)
def test_an_address_without_a_record_says_so(serve, site, chromium, query, words):
    page = chromium.new_page()
    page.goto(f"{serve(site)}record/{query}")
    page.wait_for_function("words => document.querySelector('.state').textContent.includes(words)", arg=words)
    assert page.locator("#record").is_hidden()
    page.close()


def test_the_former_address_of_a_record_leads_to_its_experiment(serve, site, chromium, recorded):
    page = chromium.new_page()
    page.goto(f"{serve(site)}2026.11/raw/{'/'.join(map(slug, recorded[0].split('/')))}")
    page.wait_for_url(f"**/2026.11/{page_of(recorded[0])}#records")
    page.wait_for_selector("h2#records")
    page.close()
