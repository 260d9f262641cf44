"""Every kind of page, in light, in dark and on a phone: quiet console, no request elsewhere, accessible, narrow."""

import gzip

import pytest

from in_page import LOOKS, faults

PAGES = {
    "home": "",
    "libraries": "library/",
    "library": "library/picture/",
    "library with a failure": "library/sound/",
    "explore": "explore/",
    "explore, not ranked": "explore/?metric=inodes_created_count",
    "explore, four metrics and a chart": "explore/?metric=copy_seconds,check_seconds,delete_seconds,format_seconds&view=heatmap",
    "record without a name": "record/",
    "search": "search/?q=picture",
    "experiments": "experiment/",
    "experiment": "experiment/loop/ext4--picture/",
    "failed experiment": "experiment/loop/btrfs-zstd--sound/",
    "method": "method/",
    "procedure": "method/procedure/",
    "glossary": "method/glossary/",
    "data": "data/",
    "versions": "versions/",
    "differences": "versions/2026.11/",
    "release": "2026.11.1/",
    "release data": "2026.11.1/data/",
    "parts to cite": "2026.11.1/cite/",
    "outdated release": "2026.11/library/video/",
    "studies": "study/",
    "audit": "study/001/",
    "printed tables": "study/004/tables/",
    "derived again": "study/rederived/",
    "then and now": "study/then-and-now/",
    "then and now of a study": "study/001/then-and-now/",
    "questions": "question/",
    "question": "question/concurrent-streams/",
    "group of a question": "question/aging/loop/",
    "emulated": "library/vm--picture/",
    "kernels": "kernel/",
    "experiment of another family": "experiment/loop/aging/ext4/",
    "explore, of studies alone": "explore/?metric=edit_seconds",
    "planner": "planner/",
    "sql": "sql/",
    "missing": "404.html",
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", PAGES)
def test_page_is_accessible_quiet_and_narrow_enough(kind, look, visit, node_modules):
    width, scheme = LOOKS[look]
    page = visit(PAGES[kind], width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert faults(page, node_modules, look) == []


def test_interactive_parts_are_accessible_too(visit, node_modules):
    page = visit("library/picture/?w=copy:0,check:3")
    page.locator(".explore").first.click()
    page.wait_for_selector(".chart.live")
    assert faults(page, node_modules) == []
    page = visit("explore/?library=picture&sort=-ratio&view=ratios")
    page.wait_for_selector(".chart[data-drawn]")
    assert faults(page, node_modules) == []


def test_empty_version_says_what_to_run(visit, empty, node_modules):
    for path in (
        "",
        "library/",
        "explore/",
        "experiment/",
        "data/",
        "versions/",
        "method/",
        "study/",
        "planner/",
        "study/then-and-now/",
    ):
        page = visit(path, folder=empty)
        assert faults(page, node_modules) == [], path
    assert "./spindlemark run" in visit("", folder=empty).inner_text("main")


def test_version_in_which_all_failed_shows_the_failure(visit, lonely, node_modules):
    page = visit("experiment/", folder=lonely)
    assert "failed" in page.inner_text("main")
    page = visit("experiment/loop/ext4--picture/", folder=lonely)
    assert "made failed by the test" in page.inner_text("main")
    assert faults(page, node_modules) == []
    assert faults(visit("", folder=lonely), node_modules) == []


def test_without_script_every_page_still_tells_everything(visit):
    page = visit("library/picture/", java_script_enabled=False)
    text = page.inner_text("main")
    for expected in ("Recipe", "mkfs.ext4", "Custom weights", "need JavaScript", "95 % interval", "jfs"):
        assert expected in text
    assert page.locator("button:visible").count() == 0
    with page.expect_download() as evidence:
        page.get_by_role("link", name="download its compressed content").last.click()
    assert gzip.decompress(evidence.value.path().read_bytes()).count(b"<path") > 20
    for path, words in (
        ("explore/", "This page needs JavaScript"),
        ("experiment/loop/ext4--picture/", "download its compressed content"),
    ):
        page = visit(path, java_script_enabled=False)
        assert words in page.inner_text("main") and page.locator("button:visible").count() == 0


def test_each_number_leads_to_samples_commands_and_machine_in_two_clicks(visit):
    page = visit("")
    page.click(".heatmap td a >> nth=0")
    page.click(".figure tbody th a >> nth=0")
    page.wait_for_selector("html[data-unpacked]")
    text = page.inner_text("main")
    for heading in ("Samples", "Commands", "Settings and environment", "Validity", "Raw records"):
        assert heading in text


def test_dark_and_light_differ_and_print_is_plain(visit):
    colours = [
        visit("", scheme=scheme).evaluate("getComputedStyle(document.documentElement).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert colours[0] != colours[1]
    page = visit("library/picture/", scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".top nav").is_visible() and page.locator(".figure svg").first.is_visible()


def test_keyboard_reaches_the_content_first(visit):
    page = visit("")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"


def test_recipe_is_copied(visit):
    page = visit("library/picture/", permissions=["clipboard-read", "clipboard-write"])
    block = page.locator(".option .code").first
    block.locator("button").click()
    assert page.evaluate("navigator.clipboard.readText()") == block.locator("code").text_content()
