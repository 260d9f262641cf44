"""Citing one table, chart, claim or answer: its short address, what is said of it, an answer as a picture elsewhere."""

import re
from xml.etree import ElementTree

from built import PUBLIC
from spindlemark.site import packed_pages

SVG = "{http://www.w3.org/2000/svg}"


def test_cite_this_names_version_page_date_and_an_address_that_stays(visit, online, snapshot):
    page = visit("library/picture/", folder=online)
    page.locator("#copy-seconds .cite").click()
    page.wait_for_selector("#chosen:not([hidden])")
    address = page.locator("#chosen-address code").inner_text()
    said = page.locator("#chosen-citation code").inner_text()
    code = address.removeprefix(f"{PUBLIC}2026.11.1/cite/#")
    assert re.fullmatch("c[a-z2-7]{6}", code), "below the version, though the root shows it too"
    assert said.endswith(address)
    snapshot(said.removesuffix(address))
    assert not page.locator("#chosen-picture").is_visible(), "only answers are pictures"
    again = visit(f"2026.11.1/cite/#{code}", folder=online)
    assert again.url.endswith("/2026.11.1/library/picture/#copy-seconds"), "the short address leads on"


def test_a_claim_and_a_printed_table_have_addresses(visit, online):
    for place in ("2026.11.1/study/001/", "2026.11.1/study/001/tables/"):
        page = visit(place, folder=online)
        link = page.locator(".cite").first
        link.click()
        page.wait_for_selector("#chosen:not([hidden])")
        assert "001" in page.locator("#chosen-citation code").inner_text()


def test_an_answer_is_a_picture_that_says_its_version(visit, online, snapshot):
    page = visit("2026.11.1/library/picture/", folder=online)
    page.locator("#answer .cite").click()
    page.wait_for_selector("#chosen-picture img")
    page.wait_for_function("document.querySelector('#chosen-picture img').naturalWidth === 640")
    html = page.locator("#chosen-picture code").inner_text()
    source = re.search(r'src="[^"]*/2026\.11\.1/(embed/[a-z2-7]+\.svg)"', html)[1]
    drawn = ElementTree.parse(online / "2026.11.1" / source)
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    snapshot([text for text in texts[:-1] if text])
    assert f'<a href="{PUBLIC}2026.11.1/cite/#' in html and 'alt="' in html
    assert f"{PUBLIC}2026.11.1/cite/#" in texts[-1], "the picture leads there by itself"


def test_codes_are_unique_and_the_same_in_every_version_for_the_same_place(made):
    def codes(version: str) -> dict[str, str]:
        text = packed_pages.text(made / version / "html/cite/index.html")
        found = re.findall(r'<li id="?([a-z2-7]+)"?[^>]*><a href="?([^" >]+)', text)
        assert len({code for code, _ in found}) == len(found) > 300
        return {place: code for code, place in found}

    one, other = codes("2026.11"), codes("2026.11.1")
    shared = one.keys() & other.keys()
    assert len(shared) > 300 and all(one[place] == other[place] for place in shared)


def test_unreleased_results_are_not_cited(visit, snapshot):
    page = visit("library/picture/")
    assert page.locator(".cite").count() == 0
    snapshot(visit("cite/").locator(".lede").inner_text())
