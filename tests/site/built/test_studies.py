"""The pages of the studies: every claim, every table, and nothing that compares speeds of two machines."""

import json
import re

from playwright.sync_api import expect

import built
from exploring import choose, column, ready
from in_page import follow
from spindlemark.core.paths import REFERENCE
from spindlemark.site import packed_pages
from spindlemark.site.studies import locations


def audited(made) -> dict:
    return json.loads(built.studied(made / "build" / "spindlemark.duckdb")[0].read_text())


def test_overview_counts_what_the_audit_found(visit, made):
    page = visit("study/")
    text, found = page.inner_text("main"), audited(made)
    total = sum(sum(study["verdicts"].values()) for study in found["studies"])
    assert f"Of {total} quantitative claims in 5 studies" in text and f"({len(found['claims'])} values checked)" in text
    assert "at least 1.5 times" in page.inner_text("section[aria-labelledby=words]")
    for study in found["studies"]:
        for count in study["verdicts"].values():
            assert str(count) in text
        assert study["title"] in text


def test_every_claim_is_on_its_page_once_contradictions_first(site, made):
    found = audited(made)
    for study in found["studies"]:
        page = packed_pages.text(site / "study" / study["source"] / "index.html")
        assert len(re.findall(r'id="c-', page)) == study["rows"]
        order = [page.index(f'<h2 id="{v}"') for v in ("contradicted", "cut-off", "not-derivable", "confirmed")]
        assert order == sorted(order)


def test_each_study_says_what_cannot_be_measured_again(site, made):
    for study in audited(made)["studies"]:
        page = (site / "study" / study["source"] / "index.html").read_text(encoding="utf-8")
        assert page.count("What is measured differently, or not at all") == 1, study["source"]


def test_all_claims_that_do_not_hold_are_shown_without_script(visit):
    page = visit("study/001/", java_script_enabled=False)
    page.click("nav[aria-label='Parts of the audit'] a[href='#confirmed']")
    assert page.url.endswith("#confirmed") and "download its compressed content" in page.inner_text(".of-confirmed")
    claim = page.locator("#c-libraries-in-abstract")
    for part in ("five different multimedia libraries were created", "5 libraries", "4 libraries", "Tolerance"):
        assert part in claim.inner_text()
    claim.locator("summary").click()
    assert "select count(*)" in claim.locator("pre").inner_text()
    follow(claim.get_by_role("link", name="Table 3"))
    assert page.url.endswith("study/001/tables/#table-03")


def test_verdicts_are_filtered_without_script(visit):
    page = visit("study/001/", java_script_enabled=False)
    shown = page.locator("section.of-cut-off"), page.locator("section.of-confirmed")
    page.locator("#show-confirmed").uncheck()
    expect(shown[0]).to_be_visible()
    expect(shown[1]).to_be_hidden()
    assert "29.8 times" in shown[0].inner_text()
    assert "31 values" in page.locator("section.of-contradicted").inner_text()


def test_notes_by_hand_are_marked_as_such(visit):
    page = visit("study/001/")
    assert page.locator(".note b", has_text="Auditors’ note").count() > 10
    assert "were written by hand" in page.inner_text("main")


def test_tables_are_offered_unchanged_and_mark_contradicted_cells(site, visit):
    for path in REFERENCE.glob("*/*.csv"):
        assert (site / locations.offered(path.parent.name) / path.name).read_bytes() == path.read_bytes()
    page = visit("study/001/tables/")
    head = page.locator("section[aria-labelledby=table-10] thead")
    assert head.locator("s").first.inner_text() == "bytes" and "KiB" in head.inner_text()
    mark = page.locator("section[aria-labelledby=table-07] a.mark.contradicted").first
    follow(mark)
    expect(page.locator(":target")).to_be_visible()
    assert "study/001/#c-recommended-option" in page.url


def test_conclusions_derived_again_name_their_reasons(visit, snapshot):
    text = visit("study/rederived/").inner_text("main")
    assert "9 of 12" in text and "decides:" in text
    snapshot([line for line in text.splitlines() if re.match(r"Of \d+ cells|.* cells\b.*\.$", line)])


def test_each_study_has_its_own_page_of_then_and_now_and_old_addresses_lead_there(visit):
    page = visit("study/then-and-now/#t-loop--picture")
    expect(page.locator("li:target")).to_be_visible()
    follow(page.locator(":target a"))
    assert page.url.endswith("study/001/then-and-now/#t-loop--picture")
    follow(page.locator(".kicker").get_by_role("link", name="study 001"))
    follow(page.get_by_role("link", name="Then and now", exact=True))
    assert page.url.endswith("study/001/then-and-now/")


def test_no_value_lies_outside_its_own_interval(made):
    every = json.loads((made / "current" / "pages" / "data" / "then.json").read_text())
    told = [
        row[side]
        for entry in every
        for task in entry["tasks"]
        for row in task["rows"]
        for side in ("then", "now")
        if row[side]
    ]
    known = [found for found in told if found["low"] is not None]
    assert len(known) > 100 and all(found["low"] <= found["value"] <= found["high"] for found in known)


def test_then_and_now_shows_ratios_and_no_speed(visit):
    page = visit("study/001/then-and-now/")
    cells = page.locator("tbody td").all_inner_texts()
    assert len(cells) > 200
    assert not [text for text in cells if re.search(r"\d ?(m?s|[kMGT]?B(/s)?)\b", text)]
    page = visit("library/picture/")
    follow(page.get_by_role("link", name="study 001", exact=True))
    expect(page.locator(":target")).to_be_visible()


def test_explore_shows_what_was_measured_until_a_study_is_chosen(visit):
    page = ready(visit("explore/"))
    assert page.url.endswith("explore/?metric=copy_seconds")
    assert page.locator("input[name=source][value=measured]").is_checked()
    choose(page, "Source", "study 001")
    assert "source=measured,001" in page.url
    assert page.locator("tbody td", has_text="ratio only").count() > 5, "speeds of two machines side by side"
    choose(page, "Source", "measured here", checked=False)
    assert page.locator("tbody td", has_text="ratio only").count() == 0
    assert page.locator("tbody th a").first.get_attribute("href").endswith("study/001/tables/#table-18")
    page.get_by_role("button", name="Clear", exact=True).click()
    page.wait_for_url("**/explore/?metric=copy_seconds")


def test_each_study_has_ratios_of_its_own(visit):
    page = ready(visit("explore/?source=any&library=picture"))
    rows = list(zip(column(page, 2), column(page, 7), strict=True))
    for library in ("Pictures on this machine's disk", "Pictures (001)"):
        assert "1.00×" in [ratio for name, ratio in rows if name == library], library


def test_a_metric_of_studies_alone_can_be_chosen(visit):
    page = ready(visit("explore/?metric=edit_seconds"))
    assert page.locator("tbody tr").count() == 50 and "(003)" in page.inner_text("tbody")
