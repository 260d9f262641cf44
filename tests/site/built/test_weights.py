"""Weights on the page: the same arithmetic as the findings, and an address that keeps them."""

import json
import re

import pytest
from playwright.sync_api import expect

from in_page import module
from spindlemark.analysis import format as numbers
from spindlemark.analysis.findings import findings_files, text
from spindlemark.core.paths import RELEASES


def advised(content: str | bytes) -> list[dict]:
    """The recommendations of a findings file."""
    return [group["recommendation"] for group in json.loads(content)["groups"] if group["recommendation"]]


def weights(advice: dict) -> dict[str, float]:
    return {task["task"]: task["weight"] for task in advice["tasks"]}


def test_browser_weighs_like_the_findings_with_the_declared_weights(blank, made):
    module(blank, "weigh.js")
    weighed = [advice for advice in advised((made / "build" / "findings.json").read_text()) if advice["weighing"]]
    assert weighed
    for advice in weighed:
        found = blank.evaluate(
            "([known, weights]) => loaded.weighVerdicts(known, weights)", [advice["weighing"], weights(advice)]
        )
        # One quantile serves all weights, that of the least known pair: the page may know less, never anything else.
        less = {"better": "slightly_better"}.get(advice["verdict"])
        assert found["verdict"] in (advice["verdict"], less, "undecided"), advice["statements"]
        for subject, told in found["configurations"].items():
            assert told["score"] == pytest.approx(advice["scores"][subject], rel=1e-4)
            assert told["share"] is None


def test_browser_weighs_an_old_release_like_its_findings(blank):
    module(blank, "weigh.js")
    for advice in advised(findings_files.read(RELEASES / "2026.11.1" / findings_files.RELEASED).model_dump_json()):
        found = blank.evaluate(
            "([known, weights]) => loaded.weighDraws(known, weights)", [advice["draws"], weights(advice)]
        )
        for subject, probability in advice["probability_best"].items():
            assert found["configurations"][subject]["share"] == pytest.approx(probability, abs=1e-4), subject
            assert found["configurations"][subject]["score"] == pytest.approx(advice["scores"][subject], rel=1e-4)


def test_weights_in_the_address_are_read_and_nonsense_is_not(blank):
    module(blank, "weigh.js")
    read = lambda text: blank.evaluate("([text]) => loaded.read(text, {copy: 4, check: 2})", [text])  # noqa: E731
    assert read("copy:0,check:3.5") == {"copy": 0, "check": 3.5}
    assert read(None) == read("") == read("copy:,check:-1,other:3,copy:x") == {"copy": 4, "check": 2}
    assert read("copy:1e9") == {"copy": 10, "check": 2}
    assert blank.evaluate("loaded.weighDraws({tasks: ['copy'], configurations: [], log_ratio: []}, {copy: 0})") is None


def test_browser_writes_shares_in_sentences_like_the_findings(blank):
    module(blank, "numbers.js")
    shares = [0, 0.001, 0.005, 0.01, 0.325, 0.68, 0.99, 0.995, 0.999, 1]
    assert blank.evaluate("(s) => s.map(loaded.shareInWords)", shares) == [text.percent(s) for s in shares]
    assert blank.evaluate("(s) => s.map(loaded.percent)", shares) == [numbers.percent(s) for s in shares]


@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        ("s", "time"),
        ("B", "size"),
        ("B/s", "rate"),
        ("1/s", "rate"),
        ("1", "count"),
        ("1", "searched"),
        ("1", "ratio"),
        ("1", "density"),
        ("levels", "quality"),
        ("dB", "quality"),
    ],
)
def test_browser_writes_numbers_like_the_pages(unit, kind, blank):
    module(blank, "numbers.js")
    values = [
        0,
        1e-17,
        4e-7,
        1e-5,
        0.0123,
        0.125,
        0.9996,
        1,
        1.005,
        2.5,
        9.995,
        10.05,
        99.95,
        999.5,
        999.6e6,
        1000,
        1234.5,
        65536,
        131072,
        1.0737e9,
        2.5e12,
        None,
    ]
    python = [numbers.number(v, unit, kind) for v in values]
    assert blank.evaluate("([v, u, k]) => v.map((x) => loaded.number(x, u, k))", [values, unit, kind]) == python
    ends = [[v * 0.95, v * 1.07, v] for v in values if v is not None]
    assert blank.evaluate(
        "([e, u, k]) => e.map(([l, h, x]) => loaded.interval(l, h, x, u, k))", [ends, unit, kind]
    ) == [numbers.interval(low, high, v, unit, kind) for low, high, v in ends]


def test_moving_a_weight_changes_result_sentence_and_address(visit):
    page = visit("library/picture/")
    assert not page.locator("#weigh input[name=copy]").is_visible(), "the drawer is closed"
    page.locator("#weigh summary").click()
    before = page.locator("#weigh tbody").inner_text()
    copy = page.locator("input[name=copy]")
    copy.focus()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile(r"\?w=copy:0(,\w+:[\d.]+)+$"))
    expect(page.locator("#weigh tbody")).not_to_have_text(before, use_inner_text=True)
    first = page.locator("#weigh tbody tr").first
    sentence = page.inner_text("#weigh .verdict")
    assert first.get_attribute("data-subject") in sentence
    again = visit("library/picture/" + page.url[page.url.index("?") :])
    expect(again.locator("#weigh .verdict")).to_have_text(sentence)
    again.get_by_role("button", name="Declared weights").click()
    expect(again.locator("#weigh tbody")).to_have_text(before, use_inner_text=True)
    assert "w=" not in again.url


def test_declared_weights_from_the_address_show_what_the_page_says_without_script(visit):
    page = visit("library/picture/", java_script_enabled=False)
    page.locator("#weigh summary").click()
    plain = page.locator("#weigh tbody").inner_text()
    declared = visit("library/picture/").locator("input[name=copy]").input_value()
    page = visit(f"library/picture/?w=copy:{declared}")
    page.wait_for_load_state("networkidle")
    assert page.locator("#weigh tbody").inner_text() == plain


def test_on_a_phone_nothing_slides_over_the_sliders(visit):
    for width, position in ((390, "static"), (1360, "sticky")):
        page = visit("library/picture/", width=width)
        assert page.locator(".weights .two > div").last.evaluate("part => getComputedStyle(part).position") == position
