"""Explore: metrics side by side, filter, search, sort, pins, address, CSV, SQL, keyboard, and charts that follow the table."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect

from exploring import choose, column, ready

FIRST = 4  # the column of the first metric's median; before it are pin, workload and configuration


def saved(page) -> list[dict]:
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of the rows").click()
    return list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))


def test_facets_filter_and_count_what_each_choice_would_leave(visit):
    page = ready(visit("explore/"))
    choose(page, "Workload", "Sound")
    assert page.inner_text(".count") == "6 of 76 rows"
    assert set(column(page, 2)) == {"Sound on this machine's disk"}
    labels = page.locator(".facet:nth-of-type(1) label").all_text_contents()
    counts = dict(re.fullmatch(r"\s*(.*?)\s*(\d+)", text).groups() for text in labels)
    assert counts["Pictures"] == "28", "a facet counts what its other choices would give"
    assert page.inner_text(".facet:nth-of-type(1) summary").startswith("Workload: Sound")
    choose(page, "Filesystem", "ext4")
    assert page.inner_text(".count") == "1 of 76 rows"
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(page.locator(".count")).to_have_text("46 of 76 rows")


def test_ratio_does_not_move_with_the_filter(visit):
    page = ready(visit("explore/"))
    ratio = FIRST + 3
    everywhere = dict(zip(zip(column(page, 2), column(page, 3), strict=True), column(page, ratio), strict=True))
    choose(page, "Filesystem", "btrfs")
    shown = dict(zip(zip(column(page, 2), column(page, 3), strict=True), column(page, ratio), strict=True))
    assert shown and "1.00×" not in shown.values() and shown == {key: everywhere[key] for key in shown}


def test_sorting_by_keyboard_is_announced_and_keeps_missing_last(visit):
    page = ready(visit("explore/"))
    for order, attribute in ((1, "ascending"), (-1, "descending")):
        page.locator("th[data-key=ratio] button").focus()
        page.keyboard.press("Enter")
        texts = column(page, FIRST + 3)
        ratios = [float(text[:-1]) for text in texts if text != "–"]
        assert ratios == sorted(ratios)[::order] and texts[-1] == "–"
        assert page.get_attribute("th[data-key=ratio]", "aria-sort") == attribute


def test_a_search_finds_rows_by_words_of_any_name(visit):
    page = ready(visit("explore/"))
    page.get_by_role("searchbox").fill("xfs sound")
    assert len(column(page, 3)) == 2 and all("xfs" in name for name in column(page, 3))
    assert "q=xfs+sound" in page.url


def test_address_keeps_the_state(visit):
    page = ready(visit("explore/?metric=copy_seconds"))
    choose(page, "Workload", "Sound")
    page.locator("th[data-key=median] button").click()
    page.get_by_role("checkbox", name="Pin xfs, Sound on this machine's disk").check()
    address, rows = page.url, column(page, 3)
    assert address.endswith("?metric=copy_seconds&library=sound&sort=median&pin=loop--sound:xfs")
    again = ready(visit("explore/" + address[address.index("?") :]))
    assert column(again, 3) == rows and rows[0].strip() == "xfs"
    again.get_by_role("combobox", name="Metric 1").select_option("check_seconds")
    expect(again.locator("#results .name")).to_have_text("Check")
    assert "library=sound" in again.url and set(column(again, 2)) == {"Sound on this machine's disk"}, (
        "another metric keeps the filter"
    )


def test_unknown_words_in_the_address_do_no_harm(visit):
    page = ready(visit("explore/?metric=nothing,copy_seconds&library=nowhere,sound&sort=toString&page=99&view=x&pin=y"))
    assert page.inner_text(".count") == "6 of 76 rows"


def test_six_configurations_and_four_metrics_in_one_view(visit, made):
    names = ["copy_seconds", "check_seconds", "delete_seconds", "format_seconds"]
    page = ready(visit(f"explore/?metric={names[0]}&library=picture&testbed=loop"))
    for at, name in enumerate(names[1:], start=2):
        page.get_by_role("button", name="Add a metric").click()
        page.get_by_role("combobox", name=f"Metric {at}").select_option(name)
        expect(page.locator(f"th[data-key={name}]")).to_be_visible()
    for row in page.locator("tbody .pin").all()[:6]:
        row.check()
    page.get_by_role("checkbox", name="Only pinned rows").check()
    assert page.inner_text(".count").startswith("6 of")
    rows = saved(page)
    assert len(rows) == 6 and len({row["experiment"] for row in rows}) == 6
    assert all(
        row["version"] == "current" and row["address"].endswith(f"/experiment/loop/{row['experiment']}/")
        for row in rows
    )
    findings = json.loads((made / "build" / "findings.json").read_text())
    group = next(g for g in findings["groups"] if g["group"] == "loop--picture")
    for name in names:
        cells = {c["configuration"]: c for t in group["metrics"] if t["metric"] == name for c in t["cells"]}
        for row in rows:
            assert float(row[f"{name}_median"]) == pytest.approx(cells[row["setting"]]["median"], rel=0.01)
    assert page.get_by_role("button", name="Add a metric").is_disabled()


def test_csv_of_one_metric(visit):
    page = ready(
        visit("explore/?metric=copy_seconds&filesystem=xfs,ext4&setting=default&scheduler=default&testbed=loop")
    )
    rows = saved(page)
    assert len(rows) == 10 and {row["setting"] for row in rows} == {"xfs", "ext4"}
    assert all(float(row["low"]) <= float(row["median"]) <= float(row["high"]) for row in rows)


def test_table_agrees_with_the_findings(visit, made):
    page = ready(visit("explore/?metric=copy_seconds&testbed=loop&library=picture"))
    findings = json.loads((made / "build" / "findings.json").read_text())
    group = next(g for g in findings["groups"] if g["library"] == "picture")
    table = next(t for t in group["metrics"] if t["metric"] == "copy_seconds")
    columns = (column(page, n) for n in (FIRST, FIRST + 3, FIRST + 5))
    shown = dict(zip(map(str.strip, column(page, 3)), zip(*columns, strict=True), strict=True))
    for cell in table["cells"]:
        median, ratio, tier = shown[cell["configuration"]]
        assert (median, ratio, tier.split()[0]) == (
            f"{cell['median']:.2f} s",
            f"{cell['ratio']:.2f}×",
            str(cell["tier"] or "–"),
        )
    assert shown["jfs"][0] == "unsupported"


def test_charts_follow_the_filter_and_lead_to_the_row(visit):
    page = ready(visit("explore/"))
    page.get_by_role("button", name="Ratios").click()
    points = page.locator(".chart .mark-symbol.role-mark").last.locator("path")
    expect(points).to_have_count(44)
    choose(page, "Workload", "Sound")
    expect(points).to_have_count(5)
    assert page.locator(".chart .role-legend-label").count() == 5, "the legend names what is drawn"
    points.nth(2).click(force=True)
    page.wait_for_selector("tr.lit")
    assert page.evaluate("document.activeElement.closest('tr')?.classList.contains('lit')")


def test_a_scatter_plot_needs_two_metrics_and_shows_who_is_unbeaten(visit):
    page = ready(visit("explore/?metric=copy_seconds&view=scatter&library=picture&testbed=loop"))
    expect(page.locator(".drawn")).to_have_text("A scatter plot needs two metrics: add one.")
    page.get_by_role("button", name="Add a metric").click()
    expect(page.locator(".chart .mark-line")).to_have_count(1)
    assert page.locator(".chart .mark-symbol.role-mark path").count() > 5


@pytest.mark.parametrize(("view", "mark"), [("Bars", "rect"), ("Heatmap", "rect")])
def test_bars_and_heatmap_draw_every_row(visit, view, mark):
    page = ready(visit("explore/?metric=copy_seconds&library=sound"))
    page.get_by_role("button", name=view).click()
    expect(page.locator(f".chart .mark-{mark}.role-mark path")).to_have_count(5)


def test_times_of_a_study_are_not_drawn_next_to_ours(visit):
    page = ready(visit("explore/?metric=copy_seconds&source=any&view=bars"))
    expect(page.locator(".drawn")).to_contain_text("not comparable")
    assert "ratio only" in column(page, FIRST)


def test_the_sql_of_a_view_gives_its_medians(visit):
    page = ready(visit("2026.11.1/explore/?metric=copy_seconds&library=sound&testbed=loop"))
    rows = dict(zip(map(str.strip, column(page, 3)), column(page, FIRST), strict=True))
    page.locator("summary", has_text="SQL of this view").click()
    page.get_by_role("link", name="Run it in the SQL console").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector(".answer:not([hidden]) tbody tr")
    found = [row.split("\t") for row in page.locator(".answer tbody tr").all_inner_texts()]
    assert {experiment: f"{float(median):.2f} s" for _, experiment, _, _, _, median, *_ in found} == {
        f"{name}--sound": text for name, text in rows.items() if text.endswith(" s")
    }


def test_the_former_pages_of_metrics_lead_here(visit):
    for path, name in (("compare/check_seconds/", "Check"), ("compare/", "Copy")):
        page = visit(path)
        page.wait_for_url("**/explore/**")
        assert ready(page).inner_text("#results .name") == name
