"""Findings of format 2 on the pages: which verdict it is, what would decide it, in how many sessions, against which baseline."""

import math
import re

import pytest
from playwright.sync_api import expect

import built
import exploring
import judged
from in_page import LOOKS, faults, follow, module
from spindlemark.analysis import database
from spindlemark.core.paths import REFERENCE

PAGES = [
    "",
    "library/",
    "library/picture/",
    "library/sound/",
    "library/video/",
    "kernel/",
    "question/file-creation/",
    "explore/",
    "method/",
    "method/procedure/",
    "method/glossary/",
    "experiment/loop/ext4--picture/",
    "question/",
]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """HTML of a version whose findings are made by hand."""
    root = tmp_path_factory.mktemp("judged")
    target, report = root / "spindlemark.duckdb", root / "findings.json"
    database.build(judged.records(root), target, REFERENCE)
    report.write_text(judged.findings().model_dump_json(), encoding="utf-8")
    return built.build(root, "current", root / "releases", target, report)


@pytest.mark.parametrize("look", LOOKS)
def test_pages_with_verdicts_are_accessible_quiet_and_narrow_enough(look, visit, told, node_modules):
    width, scheme = LOOKS[look]
    for path in PAGES:
        page = visit(path, width=width, scheme=scheme, folder=told)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert faults(page, node_modules, look) == [], path


def test_home_asks_one_question_per_area_and_each_answer_says_its_verdict(visit, told, snapshot):
    page = visit("", folder=told)
    assert page.locator(".answers .block").all_inner_texts() == ["Store", "Serve", "Record and play", "Files"]
    asked = page.locator(".answers tr", has_text="How many streams")
    assert asked.inner_text().count("This version has no results.") == 1
    page = visit("library/", folder=told)
    cards = {
        name: page.locator(".card", has_text=name).first.locator(".standing").first.inner_text()
        for name in ("Pictures", "Sound", "Video")
    }
    for name, verdict in (("Pictures", "better"), ("Sound", "equivalent"), ("Video", "inconclusive")):
        assert verdict in cards[name]
    assert "2 of 2" in cards["Pictures"] and "12 min" in cards["Video"]
    snapshot(cards)


def test_a_chance_is_shown_only_where_it_is_given(visit, told):
    assert visit("library/picture/", folder=told).locator(".options", has_text="Probability of being best").count() == 1
    page = visit("library/video/", folder=told)
    assert page.locator(".options", has_text="Probability of being best").count() == 0
    assert page.locator("[data-share]").count() == 0


def test_a_contradiction_leads_to_the_other_session(visit, told):
    page = visit("library/sound/", folder=told)
    follow(page.locator(".answer .standing a"))
    assert "loop--sound--0a1b2c" in page.url and "sunday" in page.locator(".hero .strip").inner_text()


def test_tables_say_verdicts_of_weighted_tasks_alone_and_facts_are_exact(visit, told, snapshot):
    page = visit("library/picture/", folder=told)
    page.locator("details.rest summary").first.click()
    copy = page.locator("#copy-seconds")
    verdicts = copy.locator("tbody").first.locator(".v").all_text_contents()
    assert [text.split()[1] for text in verdicts] == ["equivalent", "beaten", "inconclusive", "inconclusive"]
    snapshot(verdicts)
    assert page.locator("#copy-bytes-per-second .v").count() == 0
    assert "intervals without a verdict" in page.locator("#copy-bytes-per-second").inner_text()
    assert "Every repetition gave the same value" in page.locator("#space-overhead-ratio").text_content()


def test_the_head_of_an_interval_says_what_it_is(visit, told):
    page = visit("library/picture/", folder=told)
    heads = {name: page.locator(f"#{name} thead th").nth(2).inner_text() for name in ("copy-seconds", "check-seconds")}
    assert heads == {"copy-seconds": "95 % interval", "check-seconds": "Range"}


def test_every_question_with_a_baseline_is_one_table_wherever_it_stands(visit, told):
    page = visit("library/picture/", folder=told)
    for question, mark in (
        ("What does a setting gain", "gain"),
        ("What does another I/O scheduler gain", "inconclusive"),
    ):
        section = page.locator("section", has=page.locator("h2", has_text=question))
        assert mark in section.locator("table.contrasts .v").first.inner_text()
    assert "12 min" in section.inner_text(), "an inconclusive answer says how much data it needs"
    kernel = visit("kernel/", folder=told)
    assert "loss" in kernel.locator("table.contrasts .v").first.inner_text()
    assert kernel.locator("table.contrasts tbody th").all_inner_texts() == [
        "6.12.0-test compared with 6.1.0-test",
        "ext4",
    ]
    cache = visit("question/file-creation/", folder=told)
    section = cache.locator("section", has=cache.locator("h2", has_text="What does the page cache gain"))
    assert "equivalent" in section.locator("table.contrasts .v").first.inner_text()
    assert "cached compared with direct" in section.inner_text()


def test_work_stands_beside_time_with_its_spread_and_in_words(visit, told):
    section = visit("library/picture/", folder=told).locator("section[aria-labelledby=work]")
    assert "btrfs writes 1.5 times the bytes of xfs here" in section.inner_text()
    assert re.search(r"300 MB\s+±0.0 %", section.inner_text())


def test_the_chart_of_ratios_is_clipped_marked_and_quiet(visit, told):
    page = exploring.ready(visit("explore/?view=ratios&library=video", folder=told))
    expect(page.locator(".chart .mark-symbol.role-mark path").first).to_be_visible()
    ends = page.evaluate("""() => [...document.querySelectorAll('.rows .plot line')]
        .flatMap((line) => ['x1', 'x2'].map((name) => Number(line.getAttribute(name))))""")
    assert ends and all(0 <= x <= 200 for x in ends)
    assert page.locator(".rows .plot path").count() == 1, "one interval goes on beyond the drawing"
    width = page.locator(".chart svg").bounding_box()["width"]
    assert all(each.bounding_box()["width"] < width for each in page.locator(".chart .mark-rule.role-mark line").all())
    exploring.choose(page, "Scheduler", "bfq")
    exploring.choose(page, "Setting", "m0")
    expect(page.locator(".count")).to_contain_text("0 of")
    expect(page.locator(".drawn")).to_have_text("No row matches the filter.")


def test_facets_are_the_parts_of_the_configurations(visit, told):
    page = exploring.ready(visit("explore/?verdict=undecided", folder=told))
    names = page.locator(".facet > summary").all_inner_texts()
    assert {"Filesystem", "Setting", "Scheduler"} <= {name.split(":")[0].strip() for name in names}
    assert set(map(str.strip, page.locator("tbody th").all_inner_texts())) == {"ext4+m0", "ext4@bfq"}


def _drawn(cost: list[float], error: list[float], standard_errors: float) -> list[float]:
    middle = sum(sorted(cost)[:2]) / 2
    return [
        middle + math.copysign(max(0.0, abs(c - middle) - standard_errors * math.sqrt(e)), c - middle)
        for c, e in zip(cost, error, strict=True)
    ]


def weighed(weights: dict[str, float], weighing) -> dict:
    """The formulas of report.Weighing, word by word."""
    w, total = [weights[t] for t in weighing["tasks"]], sum(weights.values())
    tasks, subjects = range(len(w)), range(len(weighing["configurations"]))
    cost = [sum(w[t] * weighing["point"][a][t] for t in tasks) / total for a in subjects]
    within = sum(w[t] * w[u] * weighing["covariance"][t][u] for t in tasks for u in tasks) / total**2
    threshold = sum(w[t] * weighing["thresholds"][t] for t in tasks) / total
    a, found = min(subjects, key=lambda s: cost[s]), {}
    for b in subjects:
        difference = sum(w[t] * (weighing["point"][b][t] - weighing["point"][a][t]) for t in tasks) / total
        half = weighing["critical"] * math.sqrt(within * (1 / weighing["n"][a] + 1 / weighing["n"][b]))
        equal = abs(difference) + half <= threshold
        found[b] = "equivalent" if equal else "better" if difference - half > 0 else "undecided"
    del found[a]
    shares = None
    if weighing["sessions"] is not None and "undecided" not in found.values():
        between = sum((w[t] / total) ** 2 * weighing["sessions"][t] for t in tasks)
        error = [within / weighing["n"][s] + between for s in subjects]
        centre = _drawn(cost, error, weighing["drawn"]) if weighing["drawn"] is not None else cost
        scatter = [math.sqrt(e + between) for e in error]
        if weighing["drawn"] is None:
            mean = sum(cost[s] for s in subjects) / len(subjects)
            apart = max(
                0.0, sum((cost[s] - mean) ** 2 for s in subjects) / (len(subjects) - 1) - sum(error) / len(error)
            )
            kept = [apart / (apart + e) if apart + e > 0 else 0.0 for e in error]
            centre = [mean + kept[s] * (cost[s] - mean) for s in subjects]
            scatter = [math.sqrt(kept[s] * error[s] + between) for s in subjects]
        draws = [[centre[s] + z[s] * scatter[s] for s in subjects] for z in weighing["normals"]]
        shares = [sum(draw[s] == min(draw) for draw in draws) / len(draws) for s in subjects]
    return {
        name: {"score": math.exp(cost[s]), "verdict": found.get(s), "share": shares[s] if shares else None}
        for s, name in enumerate(weighing["configurations"])
    }


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"critical": 30.0},
        {"sessions": None},
        {"n": [6, 2, 1]},
        {"covariance": [[0.0, 0.0], [0.0, 0.0]]},
        {"thresholds": [0.6, 0.6]},
        {"drawn": 1.0},
        {"drawn": 1.0, "covariance": [[0.0, 0.0], [0.0, 0.0]]},
    ],
)
@pytest.mark.parametrize("weights", [{"copy": 3, "check": 1}, {"copy": 0, "check": 2.5}, {"copy": 10, "check": 0.05}])
def test_the_browser_weighs_by_the_formulas_of_the_findings(blank, weights, changes):
    module(blank, "weigh.js")
    weighing = judged.WEIGHING.model_dump() | changes
    got = blank.evaluate("([known, weights]) => loaded.weighVerdicts(known, weights)", [weighing, weights])
    for subject, expected in weighed(weights, weighing).items():
        assert got["configurations"][subject]["score"] == pytest.approx(expected["score"])
        assert got["configurations"][subject]["verdict"] == expected["verdict"]
        assert got["configurations"][subject]["share"] == pytest.approx(expected["share"])
    assert blank.evaluate("(known) => loaded.weighVerdicts(known, {copy: 0, check: 0})", weighing) is None


def test_moving_a_weight_shows_verdicts_in_table_and_sentence(visit, told, snapshot):
    page = visit("library/sound/", folder=told)
    page.locator("#weigh summary").click()
    page.locator("input[name=copy]").focus()
    page.keyboard.press("Home")
    expect(page.locator("#weigh .verdict")).to_contain_text("ext4 and xfs are equivalent")
    snapshot(page.inner_text("#weigh .verdict"))
    marks = dict(
        zip(
            page.locator("#weigh tbody th").all_inner_texts(),
            page.locator("#weigh [data-verdict]").all_text_contents(),
            strict=True,
        )
    )
    assert "equivalent" in marks["xfs"] and "beaten" in marks["btrfs"] and marks["ext4"] == ""
