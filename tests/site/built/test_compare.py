"""The comparison: filter, sort, address, CSV, keyboard, and the chart that follows the table."""

import csv
import io
import json
import re

from playwright.sync_api import expect


def ready(page):
    page.wait_for_selector("#compare[data-ready]")
    return page


def column(page, number: int) -> list[str]:
    return page.locator(f"tbody tr > :nth-child({number})").all_inner_texts()


def test_facets_filter_and_count_what_each_choice_would_leave(visit):
    page = ready(visit("compare/"))
    page.get_by_role("checkbox", name="Sound").check()
    assert page.inner_text(".count") == "6 of 76 rows"
    assert set(column(page, 1)) == {"Sound on loop"}
    labels = page.locator("fieldset:nth-of-type(1) label").all_inner_texts()
    counts = dict(re.split(r"\s+(?=\d+$)", text.replace("\n", " ")) for text in labels)
    assert counts["Pictures"] == "28", "a facet counts what its other choices would give"
    page.locator("input[name=filesystem][value=ext4]").check()
    assert page.inner_text(".count") == "1 of 76 rows"
    page.get_by_role("button", name="Clear filter").click()
    assert page.inner_text(".count") == "46 of 76 rows"


def test_ratio_does_not_move_with_the_filter(visit):
    page = ready(visit("compare/"))
    everywhere = dict(zip(zip(column(page, 1), column(page, 2), strict=True), column(page, 6), strict=True))
    page.locator("input[name=filesystem][value=btrfs]").check()
    for key in zip(column(page, 1), column(page, 2), strict=True):
        assert everywhere[key] != "1.00×"
    assert column(page, 6) == [everywhere[key] for key in zip(column(page, 1), column(page, 2), strict=True)]


def test_sorting_by_keyboard_is_announced_and_keeps_missing_last(visit):
    page = ready(visit("compare/"))
    page.locator("th[data-key=ratio] button").focus()
    page.keyboard.press("Enter")
    ratios = [float(t[:-1]) for t in column(page, 6) if t != "–"]
    assert ratios == sorted(ratios) and column(page, 6)[-1] == "–"
    assert page.get_attribute("th[data-key=ratio]", "aria-sort") == "ascending"
    page.keyboard.press("Enter")
    ratios = [float(t[:-1]) for t in column(page, 6) if t != "–"]
    assert ratios == sorted(ratios, reverse=True) and column(page, 6)[-1] == "–"
    assert page.get_attribute("th[data-key=ratio]", "aria-sort") == "descending"


def test_address_keeps_the_state_and_another_metric_keeps_the_filter(visit):
    page = ready(visit("compare/"))
    page.get_by_label("Sound", exact=False).first.check()
    page.locator("th[data-key=median] button").click()
    address = page.url
    assert address.endswith("?library=sound&sort=median")
    rows = column(page, 3)
    again = ready(visit("compare/" + address[address.index("?") :]))
    assert column(again, 3) == rows and again.get_by_label("Sound", exact=False).first.is_checked()
    again.locator(".metrics a", has_text="Check").first.click()
    ready(again)
    assert "library=sound" in again.url and set(column(again, 1)) == {"Sound on loop"}


def test_unknown_words_in_the_address_do_no_harm(visit):
    page = ready(visit("compare/?library=nowhere,sound&sort=toString&page=99&tier=x"))
    assert page.inner_text(".count") == "6 of 76 rows"


def test_csv_holds_the_selection(visit):
    page = ready(visit("compare/?filesystem=xfs,ext4&setting=default&scheduler=default&testbed=loop"))
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of the selection").click()
    assert download.value.suggested_filename == "spindlemark-copy_seconds.csv"
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    assert len(rows) == 10 and {row["setting"] for row in rows} == {"xfs", "ext4"}
    assert all(float(row["low"]) <= float(row["median"]) <= float(row["high"]) for row in rows)


def test_table_agrees_with_the_findings(visit, made):
    page = ready(visit("compare/?testbed=loop"))
    findings = json.loads((made / "build" / "findings.json").read_text())
    group = next(g for g in findings["groups"] if g["library"] == "picture")
    table = next(t for t in group["metrics"] if t["metric"] == "copy_seconds")
    page.get_by_role("checkbox", name="Pictures").check()
    shown = dict(zip(column(page, 2), zip(column(page, 3), column(page, 6), column(page, 8), strict=True), strict=True))
    for cell in table["cells"]:
        median, ratio, tier = shown[cell["configuration"]]
        assert (median, ratio, tier.split()[0]) == (
            f"{cell['median']:.2f} s",
            f"{cell['ratio']:.2f}×",
            str(cell["tier"] or "–"),
        )
    assert shown["jfs"][0] == "unsupported"


def test_script_shows_the_same_rows_as_the_page_without_script(visit):
    with_script, without = ready(visit("compare/")), visit("compare/", java_script_enabled=False)
    for number in (1, 2, 3, 4, 5, 6, 8):
        measured = 44
        assert column(with_script, number)[:measured] == column(without, number)[:measured]
    links = [
        page.locator("tbody th a").evaluate_all("links => links.map((link) => link.pathname)")
        for page in (with_script, without)
    ]
    assert links[0] == links[1]


def test_chart_follows_the_filter_and_leads_to_the_row(visit):
    page = ready(visit("compare/"))
    page.locator(".explore").click()
    page.wait_for_selector(".chart.live")
    points = page.locator(".chart.live .mark-symbol.role-mark").last.locator("path")
    expect(points).to_have_count(30)  # of more than twelve configurations the defaults
    page.get_by_role("checkbox", name="Sound").check()
    expect(points).to_have_count(5)
    points.nth(2).click(force=True)
    page.wait_for_selector("tr.lit")
    assert page.evaluate("document.activeElement.closest('tr')?.classList.contains('lit')")
