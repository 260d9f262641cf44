"""Answers as files: JSON that fits its schema and agrees with the findings, CSV, badge, and links to all of them."""

import csv
import json

import jsonschema
import pytest

from exploring import ready
from spindlemark.core.paths import ROOT

SCHEMAS = ROOT / "workflow/schemas"


@pytest.fixture
def group(made):
    findings = json.loads((made / "build" / "findings.json").read_text())
    return next(g for g in findings["groups"] if g["group"] == "loop--picture")


def read(site, path):
    return json.loads((site / path).read_text())


def test_every_answer_has_files_that_fit_their_schemas(site):
    pages = [p for p in (*site.glob("library/*/"), *site.glob("question/*/*/")) if (p / "index.html").exists()]
    assert len(pages) > 8
    for kind, name in (("answer", "index.json"), ("badge", "badge.json")):
        schema = json.loads((SCHEMAS / f"page-{kind}.schema.json").read_text())
        found = [page / name for page in pages if (page / name).exists()]
        assert len(found) == len(pages) if kind == "answer" else found
        for file in found:
            jsonschema.Draft202012Validator(schema).validate(json.loads(file.read_text()))


def test_the_json_of_an_answer_is_that_of_the_findings(site, group):
    answer, advice = read(site, "library/picture/index.json"), group["recommendation"]
    assert (answer["version"], answer["verdict"], answer["answer"]) == (
        "current",
        advice["verdict"],
        advice["statements"][0],
    )
    first, *others = answer["candidates"]
    assert first["configuration"] == advice["options"][0]["configuration"] and first["multiple"] == 1
    for other in others:
        for pair in advice["pairs"]:
            if {pair["better"], pair["worse"]} == {first["configuration"], other["configuration"]}:
                expected = pair["ratio"] if pair["better"] == first["configuration"] else 1 / pair["ratio"]
                assert other["multiple"] == pytest.approx(expected) and other["verdict"] == pair["verdict"]
    assert {m["metric"] for m in answer["metrics"]} == {t["metric"] for t in advice["tasks"]} & {
        t["metric"] for t in group["metrics"]
    }
    assert read(site, "2026.11.1/library/picture/index.json")["address"].endswith("/2026.11.1/library/picture/")


def test_the_csv_has_the_same_numbers(site):
    answer = read(site, "library/picture/index.json")
    rows = list(csv.DictReader((site / "library/picture/index.csv").read_text().splitlines()))
    multiples = {row["configuration"]: row["value"] for row in rows if row["metric"] == "multiple_of_the_first"}
    assert {c["configuration"]: c["multiple"] for c in answer["candidates"]} == {
        name: float(text) if text else None for name, text in multiples.items()
    }
    assert len(rows) == len(answer["candidates"]) + sum(len(m["values"]) for m in answer["metrics"])


def test_a_badge_names_the_answer_or_says_that_there_is_none(site):
    words = {}
    for page in site.glob("library/*/"):
        if (page / "badge.json").exists():
            answer, badge = json.loads((page / "index.json").read_text()), json.loads((page / "badge.json").read_text())
            words.setdefault(answer["verdict"], []).append((badge["message"], answer))
    assert "undecided" not in words or all(message == "inconclusive" for message, _ in words["undecided"])
    for message, answer in words.get("better", []) + words.get("slightly_better", []):
        assert message == answer["first"][0]
    for message, answer in words.get("equivalent", []):
        assert all(name in answer["first"] for name in message.split(" = "))


def test_a_page_links_to_its_files_and_to_its_rows(visit):
    page = visit("library/picture/")
    links = page.locator(".files a").evaluate_all("links => links.map((link) => link.textContent)")
    assert links == ["JSON", "CSV", "badge", "Explore it"]
    page.get_by_role("link", name="Explore it").click()
    assert len(ready(page).locator("select").all()) == 4 and "library=picture" in page.url
