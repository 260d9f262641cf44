"""Pages of several testbeds, families and kernels: what each shows, says and leads to."""

import json
import re

import pytest
from playwright.sync_api import expect

import exploring
from in_page import follow


def test_navigation_offers_what_a_version_holds(visit):
    new, old = (visit(path).locator("nav[aria-label=Main]").inner_text() for path in ("2026.11.1/", "2026.11/"))
    assert new.split() == old.split() == ["Answers", "Explore", "Plan", "Studies", "Method", "Data", "Search"]
    answers = [
        visit(f"{version}/").get_by_role("link", name="Answers", exact=True).get_attribute("href")
        for version in ("2026.11.1", "2026.11")
    ]
    assert answers == ["./question/", "./"]
    assert visit("2026.11.1/question/").get_by_role("link", name="What does a kernel upgrade change?").count() == 1


def test_home_answers_each_question_in_a_row_and_shows_one_device_at_a_time(visit, snapshot):
    page = visit("")
    devices = page.locator(".first-answer details")
    assert [each.get_attribute("open") for each in devices.all()] == ["", None, None]
    devices.nth(1).locator("summary").click()
    assert [each.get_attribute("open") for each in devices.all()] == [None, "", None]
    rows = page.locator(".answers tr", has=page.locator("th[scope=row]"))
    snapshot([row.locator("th").inner_text() for row in rows.all()])
    assert page.locator(".answers .block").count() == 4
    streams = rows.filter(has_text="How many streams")
    assert re.search(r"inconclusive|better|equivalent", streams.locator("td").first.inner_text())
    follow(streams.get_by_role("link", name="Evidence"))
    assert page.locator("h1").inner_text().startswith("25 Mbit/s")


def test_numbers_of_streams_are_bars_on_home(visit, made):
    findings = json.loads((made / "build" / "findings.json").read_text())
    group = next(g for g in findings["groups"] if g["family"] == "concurrent_streams")
    table = next(t for t in group["metrics"] if t["metric"] == "streams_sustained_count")
    rows = visit("").locator(".numbers tbody tr")
    shown = dict(zip(rows.locator("th").all_inner_texts(), rows.locator("b").all_inner_texts(), strict=True))
    assert shown == {c["configuration"]: f"{c['median']:,.0f}" for c in table["cells"]}


def test_tabs_lead_to_the_answer_that_differs_in_nothing_else(visit):
    page = visit("library/picture/")
    device, library = (page.get_by_role("navigation", name=name) for name in ("Device", "Library"))
    assert device.locator("[aria-current]").inner_text() == "this machine's disk"
    follow(library.get_by_role("link", name="Sound"))
    assert (
        page.url.endswith("library/sound/") and device.locator("[aria-current]").inner_text() == "this machine's disk"
    )
    follow(library.get_by_role("link", name="Pictures"))
    follow(device.get_by_role("link", name="virtual machine, Linux 6.12"))
    assert library.locator("[aria-current]").inner_text() == "Pictures"
    page = visit("question/file-creation/")
    follow(page.get_by_role("navigation", name="Setting").get_by_role("link").first)
    assert page.get_by_role("navigation", name="Setting").locator("[aria-current=page]").count() == 1
    assert page.locator(".kicker a").inner_text() == "How long does it take to create files?"


def test_libraries_have_the_advice_of_every_testbed_and_call_emulation_so(visit, snapshot):
    page = visit("library/")
    card = page.locator(".card", has_text="Pictures").first
    beds = [text.split("\n")[0] for text in card.locator(".bed").all_inner_texts()]
    titles = ("On this machine's disk", "On virtual machine, Linux 6.1", "On virtual machine, Linux 6.12")
    assert len(beds) == 3 and all(text.startswith(title) for text, title in zip(beds, titles, strict=True))
    snapshot(beds)
    card.locator("summary").first.click()
    recipe = card.locator(".code").first
    expect(recipe).to_be_visible()
    assert re.match(r"# Erases DEVICE.*\nmkfs\.\w+", recipe.inner_text())


@pytest.mark.parametrize(
    "path",
    [
        "library/picture/",
        "question/aging/loop/",
        "question/concurrent-streams/25-mbit/",
        "question/storage-profile/loop/",
        "question/file-creation/one-64-gb--direct/",
    ],
)
def test_every_group_has_the_same_anatomy(path, visit):
    page = visit(path)
    ids = page.locator("h2").evaluate_all("heads => heads.map((h) => h.id)")
    wanted = ["answer", "scorecard", "weights", "limits", "evidence", "conditions"]
    assert [i for i in ids if i in wanted] == wanted


def test_many_configurations_show_the_leading_ones_and_fold_the_rest(visit, made):
    page = visit("library/picture/")
    findings = json.loads((made / "build" / "findings.json").read_text())
    group = next(g for g in findings["groups"] if g["group"] == "loop--picture")
    table = next(t for t in group["metrics"] if t["metric"] == "copy_seconds")
    figure = page.locator("#copy-seconds")
    first = figure.locator("table").first.locator("tbody tr")
    assert first.count() < len(table["cells"]) and len(table["cells"]) > 12
    names = set(first.locator("th").all_inner_texts())
    assert {"ext4", "xfs", "btrfs"} < names
    assert figure.locator(".drawing .role-axis-label text, .drawing text").filter(has_text="ext4").count() > 0
    figure.locator("summary", has_text="All 15 configurations").click()
    blocks = figure.locator("details table").first.locator("tbody")
    assert sum(blocks.nth(i).locator("tr").count() - 1 for i in range(blocks.count())) == len(table["cells"])
    for i in range(blocks.count()):
        assert "+" not in blocks.nth(i).locator("tr").nth(1).locator("th").inner_text(), "the default comes first"


def test_gains_have_intervals_and_lead_to_the_evidence(visit, made):
    page = visit("library/picture/")
    findings = json.loads((made / "build" / "findings.json").read_text())
    rows = [
        row
        for c in findings["contrasts"]
        if c["group"] == "loop--picture" and c["question"] == "setting"
        for row in c["rows"]
    ]
    gains = sum(row["primary"] and row["side"] == "gain" for row in rows)
    section = page.locator("section", has=page.locator("h2", has_text="What does a setting gain"))
    assert f"{gains} \n▲ gain" in section.inner_text() or f"{gains} ▲ gain" in section.inner_text()
    cell = section.locator("table.contrasts td", has=page.locator(".v-gain")).first
    assert re.search(r"\d\.\d\d×.*\d\.\d\d–\d\.\d\d", cell.inner_text().replace("\n", " "))
    section.locator("table.contrasts thead a").first.click()
    expect(page.locator(":target")).to_be_visible()
    assert "Inodes created and needed" in page.inner_text("main")


def test_kernels_stand_beside_each_other_and_are_not_ranked(visit):
    page = visit("kernel/")
    text = page.inner_text("main")
    assert (
        "6.1.0-test" in text and "6.12.0-test" in text and "absolute times are not" in text and "same machine" in text
    )
    assert page.locator("th", has_text="Tier").count() == 0
    page.get_by_role("link", name="All tables").first.click()
    assert "Measured in an emulated machine (virtual machine, Linux 6.12, kernel 6.12.0-test)" in page.inner_text(
        "main"
    )
    assert "the virtual machine's processor is emulated" in page.inner_text("main")
    assert page.get_by_role("link", name="this machine's disk", exact=True).count() == 1


def test_a_question_shows_its_figure_for_every_configuration(visit, made):
    page = visit("question/concurrent-streams/")
    findings = json.loads((made / "build" / "findings.json").read_text())
    group = next(g for g in findings["groups"] if g["family"] == "concurrent_streams")
    table = next(t for t in group["metrics"] if t["metric"] == "streams_sustained_count")
    shown = dict(
        zip(
            page.locator(".matrix tbody th").all_inner_texts(),
            page.locator("tbody td b").all_inner_texts(),
            strict=True,
        )
    )
    assert shown == {c["configuration"]: f"{c['median']:,.0f}" for c in table["cells"]}
    follow(page.locator(".matrix tbody td a").first)
    page.wait_for_selector("html[data-unpacked]")
    assert "Streams at once, method" in page.inner_text("main")


def test_difference_sums_up_what_a_release_added(visit, snapshot):
    page = visit("2026.11.1/versions/2026.11/")
    summaries = page.locator(".only summary").all_inner_texts()
    snapshot(summaries)
    assert "ext4+m0 with 25 Mbit/s" not in page.inner_text("main"), "names are folded"
    page.locator(".only summary", has_text="Streams").click()
    assert "ext4+m0 with 25 Mbit/s" in page.inner_text("main")
    page = visit("versions/2026.11/")
    assert "Only in unreleased" in page.inner_text("main")


def test_explore_filters_by_setting_scheduler_and_testbed(visit):
    page = exploring.ready(visit("explore/?filesystem=ext4&testbed=loop&library=picture"))
    names = page.locator("tbody th").all_inner_texts()
    assert {"ext4", "ext4+m0", "ext4@bfq"} <= set(names)
    exploring.choose(page, "Scheduler", "bfq")
    assert page.locator("tbody th").all_inner_texts() == ["ext4@bfq"]
    assert "virtual machine, Linux 6.1 (emulated)" in page.locator(".facets").text_content()


def test_tuned_settings_and_file_creation_stand_beside_the_published_ones(visit):
    page = visit("study/001/then-and-now/")
    tuned = page.locator("section[aria-labelledby=tuned-loop--picture]")
    assert "its own default" in tuned.text_content() and "then ext4+m0-n3000000" in tuned.text_content()
    created = page.locator("section[aria-labelledby^=workload-]")
    assert "One file of 64 GB then" in created.text_content() and "scaled" in created.text_content()
    anew = visit("study/rederived/").locator("section[aria-labelledby=table-07]")
    assert "virtual machine, Linux 6.1 emulated" in anew.inner_text() and "Measured again" in anew.inner_text()
    row = anew.locator("tbody tr", has_text="Option 1").first
    assert re.fullmatch(r"(ext4|xfs|btrfs), \d\.\d\d×", row.locator("td").nth(3).inner_text())


def test_planner_uses_measured_streams(visit, snapshot):
    page = visit("planner/?media=mp3&streams=30")
    page.locator("summary", has_text="Concurrent streams").first.click()
    assert 0 < page.locator(".sustained .enough").count() < 4
    snapshot(page.inner_text("[data-out=sentence]"))
    page.locator("[name=media]").select_option("uncompressed-1280x720")
    snapshot(page.inner_text("[data-out=sentence]"), "a rate that was not measured")
