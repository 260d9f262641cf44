"""Charts: a static drawing that becomes interactive on first use, and loads nothing before."""

import json
import re

from playwright.sync_api import expect

from spindlemark.site import gzip_files, packed_pages


def test_chart_library_is_loaded_on_first_use_only(visit):
    page = visit("library/picture/")
    asked = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    assert page.evaluate("typeof window.vegaEmbed") == "undefined"
    page.locator(".explore").first.click()
    page.wait_for_selector(".chart.live svg")
    assert sum(name.startswith("vega.") for name in asked) == 1
    page.locator(".explore").first.click()
    expect(page.locator(".chart.live")).to_have_count(2)
    assert sum(name.startswith("vega.") for name in asked) == 1, "the library is loaded once"


def test_pressing_the_drawing_is_a_first_use_and_dots_have_tips(visit):
    page = visit("library/picture/")
    page.locator(".drawing").first.click()
    page.wait_for_selector(".chart.live svg")
    page.locator(".chart.live .mark-symbol.role-mark path").first.hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "sample" in page.inner_text("#vg-tooltip-element")


def test_interactive_chart_shows_the_same_dots_as_the_static_one(visit):
    page = visit("library/picture/")
    static = page.locator(".chart").first.locator("svg path[fill-opacity]").count()
    page.locator(".explore").first.click()
    page.wait_for_selector(".chart.live svg")
    assert page.locator(".chart.live .mark-symbol.role-mark path").count() == static > 20


def test_every_sample_is_a_dot_and_noisy_ones_are_hollow(site, made):
    page = packed_pages.text(site / "library" / "picture" / "index.html")
    drawing = page[page.index('id="copy-seconds"') :]
    place = re.search(r'data-spec="(?:\.\./)*(charts/\w+\.json\.gz)"', drawing)[1]
    spec = json.loads(gzip_files.read(site / place))
    findings = json.loads((made / "build" / "findings.json").read_text())
    group = next(g for g in findings["groups"] if g["group"] == "loop--picture")
    table = next(t for t in group["metrics"] if t["metric"] == "copy_seconds")
    drawn = {row["subject"] for row in spec["datasets"]["samples"]}
    cells = [c for c in table["cells"] if c["configuration"] in drawn]
    noisy = sum(sum(c["noisy"]) for c in cells)
    assert {"ext4", "xfs", "btrfs"} < drawn and len(cells) < len(table["cells"])
    assert len(spec["datasets"]["samples"]) == sum(c["n"] for c in cells)
    drawing = drawing[: drawing.index("</svg>")]
    assert noisy > 0 and drawing.count('fill-opacity="0"') == noisy
