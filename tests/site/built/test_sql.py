"""Asking with SQL: the answers of DuckDB's shell, told errors, an end to what has none, no trust in any text."""

import csv
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from in_page import faults
from spindlemark.site import sql_page

ROWS = re.compile(r" rows?(,|;)")
DUCKDB = Path(sys.executable).parent / "duckdb"
EXAMPLES = sql_page.examples()
COUNTED = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT "
# What a person may well ask; no order among equals, so that the rows are compared as sets.
ASKED = [
    "SELECT DISTINCT testbed, family FROM measurements",
    "SELECT * FROM factors WHERE name LIKE 'filesystem.%'",
    "SELECT count(*) FROM measurements WHERE metric LIKE 'COPY%'",
    "SELECT step, avg(seconds), count(user_seconds) FROM commands WHERE NOT (exit_code > 0) GROUP BY step",
    "SELECT gate, ok, bound FROM validity WHERE observed IS NULL OR observed > bound",
    "SELECT metric, quantile_cont(value, 0.9), stddev(value) FROM measurements WHERE status = 'ok' GROUP BY metric",
    "SELECT identity, repetition, max(started_at) FROM measurements GROUP BY identity, repetition",
    "SELECT m.experiment, e.value FROM measurements m LEFT JOIN environment e ON e.identity = m.identity "
    "AND e.repetition = m.repetition AND e.name = 'nothing' WHERE m.metric = 'copy_seconds'",
    "SELECT experiment, value - lag(value) OVER (PARTITION BY identity ORDER BY repetition) FROM measurements "
    "WHERE metric = 'check_seconds'",
]


@pytest.fixture
def ask(visit):
    """Ask a query on the page of a version; returns the page with its answer or its error."""

    def asked(query: str, version: str = "2026.11.1/"):
        page = visit(f"{version}sql/#q={quote(query)}")
        page.wait_for_selector("#sql .answer:visible, #sql .state.failed", timeout=20_000)
        return page

    return asked


def rows_of(text: str) -> list[list[str | float]]:
    """Rows of a CSV, numbers as such in ten digits: sums may be added up in another order."""

    def value(cell: str) -> str | float:
        try:
            return float(f"{float(cell):.10g}")
        except ValueError:
            return cell

    return [[value(cell) for cell in row] for row in csv.reader(io.StringIO(text))]


def saved(page) -> str:
    with page.expect_download() as download:
        page.click("#sql .csv")
    return Path(download.value.path()).read_bytes().decode()


def shell(page, folder: Path, home: Path) -> subprocess.CompletedProcess:
    """Run the command that the page offers in a real shell with a real duckdb."""
    found = {"HOME": str(home), "PATH": f"{DUCKDB.parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["sh"],
        input=page.inner_text("#sql .shell code"),
        cwd=folder,
        env=os.environ | found,
        capture_output=True,
        text=True,
        timeout=60,
    )


def in_shell(page, folder: Path, home: Path) -> str:
    """What the command prints as CSV beside the downloaded files."""
    (home / ".duckdbrc").write_text(".mode csv\n.nullvalue ''\n")
    done = shell(page, folder, home)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("version", ["2026.11/", "2026.11.1/"])
def test_examples_give_the_same_rows_in_the_shell(version, visit, site, tmp_path):
    page = visit(f"{version}sql/")
    titles = page.locator("#sql .example").all_inner_texts()
    assert len(titles) == sql_page.OFFERED
    for title in titles:
        page.get_by_role("button", name=title).click()
        expect(page.locator("#sql .state")).to_have_text(ROWS, timeout=20_000)
        found = rows_of(saved(page))
        assert found == rows_of(in_shell(page, site / version / "download", tmp_path)), title
        assert len(found) > 1, f"{title}: no row"


def test_other_queries_give_the_same_rows_too(visit, site, tmp_path):
    page = visit("2026.11.1/sql/")
    for query in ASKED:
        page.fill("#editor", query)
        page.click("#sql .run")
        expect(page.locator("#sql .state")).to_have_text(ROWS, timeout=20_000)
        head, *found = rows_of(saved(page))
        same, *others = rows_of(in_shell(page, site / "2026.11.1/download", tmp_path))
        assert sorted(map(repr, found)) == sorted(map(repr, others)), query
        assert len(head) == len(same)


@pytest.mark.parametrize(
    ("query", "place", "chosen"),
    [
        ("SELECT count(*)\nFORM measurements", "Line 2, column 6", "measurements"),
        ("SELECT metrik FROM measurements", "Line 1, column 8", "metrik"),
        ("SELECT value FROM measurements WHERE ", "Line 1, column 37", None),
        ("SELECT 'é', absent(1)", "Line 1, column 13", "absent"),
        ("SELECT 1 FROM films", "no such table", None),
        ("DROP TABLE measurements", "Line 1, column 1", None),
        ("DELETE FROM measurements RETURNING *", "Line 1, column 1", None),
        ("PRAGMA hard_heap_limit = 0", "Line 1, column 1", None),
        ("SELECT 1; SELECT 2", "Line 1, column 10", None),
        ("-- nothing", "There is no query", None),
    ],
)
def test_wrong_query_is_told_with_its_place(query, place, chosen, ask, snapshot):
    page = ask(query)
    message = page.inner_text("#sql .state")
    assert message.startswith(place)
    snapshot(message)
    assert page.locator("#sql .answer, #sql .shell").locator("visible=true").count() == 0
    if chosen:
        assert page.evaluate("editor.value.slice(editor.selectionStart, editor.selectionEnd)") == chosen


def test_endless_query_can_be_cancelled_and_the_next_one_is_answered(visit):
    page = visit("sql/")
    page.fill("#editor", f"{COUNTED} count(*) FROM r")
    page.click("#sql .run")
    expect(page.locator("#sql .cancel")).to_be_visible()
    time.sleep(1)
    page.click("#sql .cancel")
    expect(page.locator("#sql .state")).to_have_text("Cancelled.")
    page.get_by_role("button", name=EXAMPLES[0]["title"]).click()
    page.wait_for_selector("#sql .answer:visible")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (f"{COUNTED} n, randomblob(16000000) AS b FROM r ORDER BY b", "more than the 512 MiB of memory"),
        ("SELECT randomblob(99000000)", "too big"),
        (f"{COUNTED} n FROM r", "The first 20,000 rows; the result has more rows"),
    ],
)
def test_memory_and_answers_are_bounded(query, told, ask):
    page = ask(query)
    assert told in page.inner_text("#sql .state")
    assert page.locator("#sql .answer tbody tr").count() <= 500


def test_text_is_never_html_nor_formula(ask):
    page = ask("""SELECT '<img src=x onerror=alert(1)>' AS "<b>x</b>", '=1+1' AS a, '-2' AS b, '@x' AS c, -3 AS d,
        'two "lines"' || char(10) || 'of, text' AS e, NULL AS f, 200 / 3.0 AS g UNION ALL SELECT 'b', 'a', 'a', 'a', 4, 'a', NULL, 5""")
    assert page.locator("#sql table img, #sql table b").count() == 0
    assert page.inner_text("#sql td >> nth=0") == "<img src=x onerror=alert(1)>"
    assert page.inner_text("#sql td >> nth=7") == "66.6667"
    head, first, _ = csv.reader(io.StringIO(saved(page)))
    assert head[0] == "<b>x</b>"
    assert first[1:] == ["'=1+1", "'-2", "'@x", "-3", 'two "lines"\nof, text', "", "66.66666666666667"]
    page.click("#sql .draw")
    page.wait_for_selector("#sql .drawing svg")
    assert page.locator("#sql .drawing img, #sql .drawing b").count() == 0


@pytest.mark.parametrize(
    "query", ["SELECT 1 AS [;\n.shell id\n]", "SELECT 1 AS [x;\n .sh id\n]", "SELECT '\x1b[201~' AS a"]
)
def test_what_could_command_a_shell_is_not_offered_to_it(query, ask):
    page = ask(query)
    expect(page.locator("#sql .answer")).to_be_visible()
    expect(page.locator("#sql .shell")).to_be_hidden()


def test_a_query_in_the_shell_reaches_no_file(ask, site, tmp_path):
    page = ask("SELECT 1 AS [;COPY (SELECT 1) TO 'written.csv';SELECT 1 AS x]\n, '$HOME `id` \\' AS y")
    (tmp_path / ".duckdbrc").write_text("")
    shell(page, tmp_path, tmp_path)
    assert not (tmp_path / "written.csv").exists()


def test_chart_has_a_dot_for_each_row_and_keys_suffice(visit, node_modules):
    page = visit("2026.11.1/sql/", 390, "dark")
    page.focus("#editor")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#sql .answer:visible")
    rows = page.locator("#sql .answer tbody tr").count()
    page.focus("#sql .draw")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sql .drawing svg")
    assert page.locator("#sql .drawing .mark-symbol.role-mark path").count() == rows > 1
    assert page.evaluate("document.querySelector('#sql .drawing svg').getBoundingClientRect().right <= innerWidth")
    names = page.locator("#sql .drawing .role-legend-label text")
    assert {text.get_attribute("fill") for text in names.all()} == {"var(--ink)"}
    assert faults(page, node_modules) == []


def test_without_script_the_page_says_what_to_do(visit):
    text = visit("sql/", java_script_enabled=False).inner_text("main")
    for expected in ("needs JavaScript", "duckdb <<'SQL'", "measurements.parquet", "number of the repetition, from 1"):
        assert expected in text
