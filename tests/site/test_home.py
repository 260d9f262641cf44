"""The home page's cards and the matrices: what decides is what they show."""

import functools
import operator
from pathlib import Path
from types import SimpleNamespace

import pytest

from factory_families import configured
from findings_data import Lab
from spindlemark.analysis.findings.model import Findings
from spindlemark.analysis.format import rising
from spindlemark.site import answer_tables, answer_tabs, group_pages, home, testbed_labels
from spindlemark.site.context import Context


def _context(found: Findings) -> Context:
    names = {s for g in found.groups for s in g.configurations}
    return Context({s: {"colour": 1, "shape": "circle"} for s in names}, {}, {}, {}, found)


@pytest.fixture
def lone(tmp_path: Path) -> Findings:
    """One filesystem alone, through the page cache and past it."""
    lab = Lab(tmp_path)
    for cache, seconds in (("cached", 1.0), ("direct", 2.0)):
        exp = configured("file_creation", "ext4", f"one--{cache}")
        factors = {name: value for name, value in exp.factors.items() if not name.startswith("part")}
        lab.repeated(
            exp.model_copy(update={"factors": factors | {"layout": "one", "cache": cache}}),
            {"creation_seconds": [seconds * share for share in (1, 1.01, 1.02)]},
        )
    return lab.findings()


def test_a_card_without_advice_carries_its_contrast_and_leads_only_with_what_tells_something(lone):
    context = _context(lone)
    cards = [home.brief(group, context) for group in lone.groups]
    assert [card["verdict"] for card in cards] == [None, None]
    told = [card["statements"] for card in cards]
    (said,) = functools.reduce(operator.iadd, told, [])
    assert said.startswith(
        "What does the page cache gain over direct I/O? Creation: direct I/O takes 2.00 times as long"
    )
    page = home.build(lone, context, {})["questions"][0]
    assert page["lead"]["statements"] and page["count"] == 2
    assert page["tables"][0]["turned"]
    assert {cell["tier"] for row in page["tables"][0]["first"] for cell in row["cells"]} == {None}  # alone is not best


def test_an_inconclusive_answer_leads_before_a_contrast_without_advice():
    groups = [
        SimpleNamespace(family="aging", library="", candidates=list(names), configurations=[], conditions={})
        for names in ("abc", "ab")
    ]
    answers = [{"verdict": None, "statements": ["a contrast"]}, {"verdict": "undecided", "statements": ["too close"]}]
    assert home._lead(answers, groups) is answers[1]
    answers[0]["verdict"] = "better"
    assert home._lead(answers, groups) is answers[0]
    groups[0].conditions = {"machine.emulated": True}
    assert home._lead(answers, groups) is answers[1]


@pytest.mark.parametrize(
    ("sentences", "said"),
    [(1, "xfs wins"), (2, "xfs wins. ext4 is 0.9 % worse"), (9, "xfs wins. ext4 is 0.9 % worse. So")],
)
def test_a_headline_is_the_first_sentences_up_to_a_semicolon(sentences, said):
    assert group_pages.headline("xfs wins; so far. ext4 is 0.9 % worse. So; there.", sentences) == said


def test_workloads_are_sorted_by_the_numbers_in_them():
    asked = ["natural, at most 400 Mbit/s", "natural, at most 50 Mbit/s", "lines, at most 100 Mbit/s"]
    assert sorted(asked, key=rising) == [asked[2], asked[1], asked[0]]


def test_a_matrix_of_several_tasks_shows_scores_and_of_one_task_its_medians(tmp_path):
    lab = Lab(tmp_path)
    for subject, cost in (("ext4", 1.0), ("xfs", 2.0)):
        lab.repeated(
            configured("aging", subject), {"read_kept_ratio": [1 / cost] * 3, "aged_streams_count": [10 / cost] * 3}
        )
        lab.repeated(configured("file_creation", subject, "one--direct"), {"creation_seconds": [cost] * 3})
    found = lab.findings()
    tables = {entry["family"]: entry["tables"][0] for entry in home.build(found, _context(found), {})["questions"]}
    scored, single = tables["aging"], tables["file_creation"]
    assert scored["metric"] == answer_tables.SCORE and {"score", "verdict"} <= scored["first"][0]["cells"][0].keys()
    assert not scored["turned"] and not single["turned"]
    assert single["metric"] == "Creation" and single["first"][0]["cells"][0]["median"] == "1.00 s"
    assert [row["cells"][0]["tier"] for row in single["first"]] == [1, 2]


@pytest.mark.parametrize(
    ("family", "metric", "seconds"),
    [
        ("file_creation", "creation_seconds", (1.0, 1.0)),
        ("recording_survival", "recording_lost_seconds", (0.1, 30.0)),  # the first is too short to compare
    ],
)
def test_figures_that_nothing_was_compared_with_have_no_colour(tmp_path, family, metric, seconds):
    lab = Lab(tmp_path)
    for filesystem, value in zip(("ext4", "xfs"), seconds, strict=True):
        lab.repeated(configured(family, filesystem, "one--direct"), {metric: [value]})
    found = lab.findings()
    (question,) = home.build(found, _context(found), {})["questions"]
    cells = [row["cells"][0] for row in question["tables"][0]["first"]]
    assert len(cells) == 2 and all(cell["median"] for cell in cells)
    assert all(cell["tier"] is None and cell["verdict"] is None for cell in cells)


def test_tabs_reach_the_results_of_another_method_which_are_not_pooled(lone):
    group = lone.groups[0]
    older = group.model_copy(update={"group": "older", "conditions": group.conditions | {"method": 99}})
    found = lone.model_copy(update={"groups": [group, older]})
    context = _context(found)
    (tabs,) = answer_tabs.of_groups(found.groups, context, group)
    assert tabs["label"] == "Conditions" and [item["current"] for item in tabs["items"]] == [True, False]
    assert tabs["items"][1]["path"] == context.groups["older"]


def test_a_group_of_one_session_is_no_day_of_its_own_where_sessions_are_pooled(lone):
    """Versions that pool name the sessions of each group; in earlier ones each session has groups of its own."""
    group = lone.groups[0]
    first, second = "2026-11-27-0001", "2026-11-28-0001"
    for pooled in (True, False):
        both = group.model_copy(update={"session": second, "sessions": [first, second] if pooled else []})
        once = group.model_copy(update={"group": "once", "session": first, "sessions": [first] if pooled else []})
        found = lone.model_copy(update={"groups": [both, once]})
        labels = [tabs["label"] for tabs in answer_tabs.of_groups(found.groups, _context(found), both)]
        assert ("Measured on" in labels) is not pooled


def test_two_disks_with_one_title_have_a_tab_each(lone, monkeypatch):
    group = lone.groups[0]
    other = group.model_copy(update={"group": "other", "testbed": "disk-b"})
    found = lone.model_copy(update={"groups": [group, other]})
    monkeypatch.setattr(testbed_labels, "title", lambda name: "SATA SSD")
    (tabs,) = answer_tabs.of_groups(found.groups, _context(found), group)
    assert [item["title"] for item in tabs["items"]] == [f"SATA SSD ({group.testbed})", "SATA SSD (disk-b)"]


def test_a_question_with_one_repetition_says_that_nothing_is_compared(tmp_path):
    lab = Lab(tmp_path)
    for subject in ("ext4", "xfs"):
        lab.repeated(configured("file_creation", subject, "one--direct"), {"creation_seconds": [1.0]})
    found = lab.findings()
    rows = [row for area in home.build(found, _context(found), {})["areas"] for row in area["rows"]]
    assert [row["answer"] for row in rows] == ["Measured, but nothing is compared yet."]


def test_only_the_older_of_two_groups_has_its_day_in_its_title(lone):
    newer = lone.groups[0].model_copy(update={"session": "2026-11-28-0001"})
    older = newer.model_copy(update={"group": "older", "session": "2026-11-27-0001"})
    context = _context(lone.model_copy(update={"groups": [newer, older]}))
    assert context.title(older) == f"{context.title(newer)}, 27 November 2026"
