"""What five kinds of reader come for, with the number of clicks that they need."""

import csv
import io

import pytest
from playwright.sync_api import expect

import exploring
from in_page import follow

SCREENS = {"home server": (1360, 900), "phone": (390, 844)}


@pytest.mark.parametrize("user", SCREENS)
def test_the_answer_stands_on_the_first_screen(user, visit):
    width, height = SCREENS[user]
    page = visit("", width=width)
    page.set_viewport_size({"width": width, "height": height})
    for part in (page.locator(".heatmap tbody th").first, page.locator(".heatmap tbody td").first):
        box = part.bounding_box()
        assert box and box["y"] + box["height"] < height
    assert "ext4" in page.locator(".first-answer .advice").first.inner_text()


def test_a_broadcaster_finds_streams_and_the_need_of_a_format_in_two_clicks(visit):
    page = visit("")
    assert int(page.locator(".numbers b").first.inner_text()) > 0
    follow(page.locator(".numbers h2 a").first)
    assert "streams can be played" in page.inner_text("main")
    follow(page.get_by_role("link", name="Plan", exact=True))
    expect(page.locator("[data-out=rate]")).not_to_be_empty()


def test_a_researcher_finds_value_citation_and_command_in_three_clicks(visit):
    page = visit("2026.11.1/")
    follow(page.locator(".heatmap td a").first)
    assert page.locator(".figure td b").first.inner_text()
    assert page.locator("a.cite").first.get_attribute("href").startswith("../../cite/?show#c")
    follow(page.locator(".figure tbody th a").first)
    page.wait_for_selector("html[data-unpacked]")
    assert "cp -a" in page.locator(".commands").first.inner_text()


def test_an_engineer_joins_configurations_and_metrics_by_experiment(visit):
    metrics = ["copy_seconds", "delete_seconds", "check_seconds", "space_overhead_ratio"]
    page = exploring.ready(visit(f"explore/?metric={','.join(metrics)}&library=picture&testbed=loop"))
    assert page.locator("tbody tr").count() >= 6
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV of the rows").click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text(encoding="utf-8"))))
    assert len({row["experiment"] for row in rows}) == len(rows) >= 6
    assert all(sum(name.startswith(metric) for name in rows[0]) for metric in metrics)
