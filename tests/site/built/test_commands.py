"""The three commands: their folders, their errors, and what they leave behind."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import built
from spindlemark.analysis import format as numbers
from spindlemark.analysis.findings.model import Findings
from spindlemark.core.errors import UserError
from spindlemark.site import assemble, differences, sources
from spindlemark.site.replace_folder import swapped


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, check=False)


def studied(made: Path) -> list[str]:
    audit, published = built.studied(made / "build/spindlemark.duckdb")
    return ["--audit", str(audit), "--published", str(published), "--vega", str(built.vega_script())]


def test_commands_build_a_site_from_a_database(made, tmp_path):
    (tmp_path / "versions.json").write_text("[]")
    build, html = made / "build", tmp_path / "html"
    first = run(
        "spindlemark.site",
        build / "spindlemark.duckdb",
        build / "findings.json",
        *studied(made),
        "--version",
        "current",
        "--versions",
        tmp_path / "versions.json",
        "--raw",
        made / "data/raw",
        "--output",
        tmp_path / "pages",
    )
    second = run(
        "spindlemark.site.hugo",
        "--pages",
        tmp_path / "pages",
        "--engine",
        built.sql_engine(),
        "--output",
        tmp_path / "html",
    )
    third = run(
        "spindlemark.site.assemble",
        "--root",
        "current",
        "--output",
        tmp_path / "site",
        "--versions",
        tmp_path / "versions.json",
        f"current={html}",
    )
    assert [r.stderr for r in (first, second, third) if r.returncode] == []
    assert (tmp_path / "site" / "library" / "picture" / "index.html").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["html", "pages", "site", "versions.json"]


def test_fetching_the_sql_engine_leaves_no_temporary_file(tmp_path, monkeypatch):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    done = run("spindlemark.site.sql_engine", "--output", tmp_path / "engine")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "engine" / "sqlite" / "sqlite3.wasm").exists() and list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("database", "findings", "version", "named"),
    [
        ("none.duckdb", "findings.json", "current", "none.duckdb"),
        ("findings.json", "findings.json", "current", "findings.json"),
        ("spindlemark.duckdb", "none.json", "current", "none.json"),
        ("spindlemark.duckdb", "broken.json", "current", "broken.json"),
        ("spindlemark.duckdb", "findings.json", "2020.01", "2020.01"),
    ],
)
def test_bad_input_is_named_and_nothing_is_left(database, findings, version, named, made, tmp_path):
    (tmp_path / "versions.json").write_text("[]")
    build = made / "build"
    (build / "broken.json").write_text('{"groups": 1}')
    result = run(
        "spindlemark.site",
        build / database,
        build / findings,
        *studied(made),
        "--version",
        version,
        "--versions",
        tmp_path / "versions.json",
        "--releases",
        made / "releases",
        "--output",
        tmp_path / "pages",
    )
    assert result.returncode == 2 and named in result.stderr and "Traceback" not in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["versions.json"]


def test_list_of_versions_must_be_one(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        sources.read_versions(tmp_path / "versions.json")
    (tmp_path / "versions.json").write_text("{")
    with pytest.raises(UserError, match="not a list of versions"):
        sources.read_versions(tmp_path / "versions.json")


def test_site_needs_pages(tmp_path):
    result = run("spindlemark.site.hugo", "--pages", tmp_path, "--engine", tmp_path, "--output", tmp_path / "html")
    assert result.returncode == 2 and "has no pages" in result.stderr


def test_assembly_names_what_is_missing(made, tmp_path):
    with pytest.raises(UserError, match="not one of"):
        assemble.assemble("2026.12", {"current": made / "current" / "html"}, tmp_path / "site", [])
    with pytest.raises(UserError, match="has no site"):
        assemble.assemble("current", {"current": tmp_path / "nothing"}, tmp_path / "site", [])
    assert not (tmp_path / "site").exists()


def test_the_root_leads_to_the_newest_release_and_unreleased_results_lie_beside_it(made, tmp_path):
    versions = {v: made / v / "html" for v in ("2026.11.1", "current")}
    assemble.assemble("2026.11.1", versions, tmp_path / "site", built.listed(made / "releases"))
    site = tmp_path / "site"
    assert (site / "2026.11.1/explore/index.html").samefile(versions["2026.11.1"] / "explore/index.html")
    assert (
        max(
            p.stat().st_size
            for p in site.rglob("*.html")
            if p.parent.parts[len(site.parts) :][:1] not in (("2026.11.1",), ("unreleased",)) and p.name == "index.html"
        )
        < 1000
    ), "the release is stored twice"
    assert '0; url=../../2026.11.1/library/picture/"' in (site / "library/picture/index.html").read_text()
    assert (site / "404.html").exists() and not list(site.glob("*/404.html"))
    assert "Sitemap" not in (site / "robots.txt").read_text() and not (site / "feed.xml").exists()
    beside = (site / "unreleased/library/picture/index.html").read_text()
    assert 'data-versions="../../../versions.json"' in beside and "Unreleased." in beside
    assert [v["version"] for v in json.loads((site / "versions.json").read_text())["versions"]] == ["2026.11.1"]


def test_a_failed_build_keeps_the_old_folder(tmp_path):
    target = tmp_path / "site"
    with swapped(target) as folder:
        (folder / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), swapped(target) as folder:
        (folder / "a").write_text("new")
        raise ZeroDivisionError
    assert (target / "a").read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["site"]


def test_a_kill_between_the_renames_loses_nothing(tmp_path):
    (tmp_path / ".site.old").mkdir()
    (tmp_path / ".site.old" / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), swapped(tmp_path / "site"):
        raise ZeroDivisionError
    assert (tmp_path / "site" / "a").read_text() == "old"


def test_difference_finds_the_one_result_that_changed(made):
    text = (made / "build" / "findings.json").read_text()
    old = Findings.model_validate_json(text)
    group, table, cell = old.groups[0], old.groups[0].metrics[0], old.groups[0].metrics[0].cells[0]
    slower = replace(cell, median=cell.median * 2, low=cell.low * 2, high=cell.high * 2)
    changed = table.model_copy(update={"cells": [slower, *table.cells[1:]]})
    first = group.model_copy(update={"metrics": [changed, *group.metrics[1:]]})
    new = old.model_copy(update={"groups": [first, *old.groups[1:]]})
    found = differences.compare(new, old)
    assert len(found["changed"]) == 1 and differences.compare(old, old)["changed"] == []
    told = [found["changed"][0][key] for key in ("subject", "metric", "ratio", "verdict")]
    assert told == [cell.configuration, table.metric, "2.00×", "worse"]


def test_numbers_have_sensible_digits():
    assert numbers.number(0.0489, "s") == "48.9 ms" and numbers.number(123.4, "s") == "123 s"
    assert numbers.number(1.0737e9, "B") == "1.07 GB" and numbers.number(131072, "1", "count") == "131,072"
    assert numbers.interval(1.98, 2.104, 2.03, "s") == "1.98–2.10" and numbers.interval(1, 1, 1, "s") == "1.00"
    assert numbers.percent(0.001) == "< 1 %" and numbers.percent(1.0) == "> 99 %" and numbers.percent(0.62) == "62 %"
    assert numbers.number(None, "s") == numbers.MISSING
    assert (numbers.number(16.5, "1", "searched"), numbers.number(16, "1", "searched")) == ("16 to 17", "16"), (
        "half a viewer is none"
    )
    assert numbers.interval(15.5, 16.5, 16, "1", "searched") == "15–17"
