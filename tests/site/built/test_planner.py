"""The planner: what media need, in the address, and honest about what was measured."""

import json

import pytest
from playwright.sync_api import expect

HDTV = "planner/?media=uncompressed-1280x720&streams=3&hours=2"


def test_need_follows_from_the_published_rate(visit, snapshot):
    page = visit(HDTV)
    assert page.inner_text("[data-out=rate]") == "243 MB/s"  # 3 x 648 Mbit/s, as study 001 prints it
    assert page.inner_text("[data-out=space]") == "1.75 TB"
    assert page.inner_text("[data-out=file]") == "583 GB"
    snapshot(page.inner_text("[data-out=sentence]"))


def test_limits_say_what_does_not_fit(visit):
    page = visit(HDTV)
    rows = {
        row.locator("th").inner_text(): row.locator("[data-need]").inner_text()
        for row in page.locator(".limits tbody tr").all()
    }
    assert rows["ext2/ext3 with 1 KiB blocksize"] == "a file is too large"
    assert rows["XFS"] == "fits"


def test_choice_is_kept_in_the_address(visit):
    page = visit("planner/")
    page.get_by_label("Number of streams").fill("40")
    page.locator("[name=media]").select_option("mpeg-2-640x480")
    assert page.url.endswith("?media=mpeg-2-640x480&streams=40")
    again = visit("planner/" + page.url[page.url.index("?") :])
    assert again.inner_text("[data-out=rate]") == page.inner_text("[data-out=rate]") == "20.0 MB/s"


def test_pictures_are_counted_instead(visit):
    page = visit("planner/?media=scan-300-dpi&pictures=1000")
    assert page.inner_text("[data-out=rate]") == "–" and page.inner_text("[data-out=space]") == "6.48 GB"
    expect(page.get_by_label("Number of streams")).to_be_hidden()


def test_unknown_words_in_the_address_do_no_harm(visit):
    page = visit("planner/?media=nothing&streams=1&hours=x&library=99&toString=1")
    assert page.input_value("[name=streams]") == "1" and page.input_value("[name=hours]") == "1"
    assert page.inner_text("[data-out=rate]") == "15.3 MB/s" and page.inner_text("[data-out=replaced]") == ""


@pytest.mark.parametrize(
    ("given", "used"), [("-5", "1"), ("0", "1"), ("1e9", "100,000"), ("2.6", "3"), ("", "10")], ids=str
)
def test_number_that_cannot_be_used_is_said(visit, given, used):
    page = visit("planner/" + (f"?streams={given}" if given else ""))
    field = page.get_by_label("Number of streams")
    if not given:
        field.fill("")
    says = f"Number of streams must be a whole number from 1 to 100,000: calculated with {used}."
    assert page.inner_text("[data-out=replaced]") == says and field.get_attribute("aria-invalid") == "true"
    changed = page.inner_text("[data-out=rate]")
    field.fill(used.replace(",", ""))
    assert page.inner_text("[data-out=replaced]") == "" and field.get_attribute("aria-invalid") == "false"
    assert page.inner_text("[data-out=rate]") == changed


def test_number_of_a_hidden_field_is_not_said(visit):
    page = visit("planner/?media=scan-300-dpi&streams=-5")
    assert page.inner_text("[data-out=replaced]") == ""


def test_settings_below_the_need_are_called_so(visit, snapshot):
    page = visit("planner/?streams=100000")
    shown = page.locator(".group:visible tbody [data-need]")
    page.locator("summary", has_text="Copy rates").click()
    assert shown.count() > 2 and page.locator(".group:visible .enough").count() == 0
    assert page.locator(".devices .short").count() == 2 and "too slow" in page.inner_text("[data-out=sentence]")
    snapshot(page.inner_text("[data-out=sentence]"))


def test_tables_tell_everything_without_script(visit):
    page = visit("planner/", java_script_enabled=False)
    for expected in ("Largest filesystem", "Copy rates of configurations", "ext4", "Apple ProRes", "Study"):
        assert expected in page.locator("main").text_content()
    page.locator("summary", has_text="As published in the studies").last.click()
    assert "MPEG-2 movie (640x480)" in page.inner_text("main")
    assert not page.locator("#planner").is_visible() and page.locator("[data-need]:visible").count() == 0


def test_empty_version_still_plans(visit, empty, snapshot):
    page = visit("planner/", folder=empty)
    assert page.inner_text("[data-out=rate]") == "153 MB/s"
    snapshot(page.inner_text("[data-out=sentence]"))


def test_headroom_is_that_of_the_nearest_test_of_streams(visit, made):
    findings = json.loads((made / "build" / "findings.json").read_text())
    group = next(g for g in findings["groups"] if g["family"] == "concurrent_streams")
    table = next(t for t in group["metrics"] if t["metric"] == "streams_sustained_count")
    low = max(cell["low"] for cell in table["cells"] if cell["configuration"] in group["configurations"])
    page = visit(
        "planner/?media=xdcam-hd422&streams=10"
    )  # 6.25 MB/s, above the 3.125 MB/s of the test: compared by bytes
    shown = float(page.inner_text(".devices [data-held=streams] [data-times]").removesuffix("×"))
    assert shown == pytest.approx(low * 3.125e6 / 62.5e6, rel=0.01)
    page = visit("planner/?media=pcm-cd&streams=10")  # below it: by the number of streams
    shown = float(page.inner_text(".devices [data-held=streams] [data-times]").removesuffix("×"))
    assert shown == pytest.approx(low / 10, rel=0.01)
