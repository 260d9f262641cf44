"""What keeps a version of many experiments small enough to build and to read: drawings made once, parts, pages that are split."""

import json
import os
import time

import pytest

import factory
from spindlemark.analysis import database
from spindlemark.core import paths
from spindlemark.site import experiments, page_parts, query, static_charts
from spindlemark.site.models import kinds
from spindlemark.site.studies import then_and_now

SPEC = {
    "data": {"values": [{"x": 1}, {"x": 2}]},
    "mark": "point",
    "encoding": {"x": {"field": "x", "type": "quantitative"}},
}


@pytest.fixture
def exported(tmp_path, monkeypatch):
    """Drawings below a folder of the test's own; the list has the specs that were exported."""
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    found, real = [], static_charts.vl_convert.vega_to_svg
    monkeypatch.setattr(
        static_charts.vl_convert, "vega_to_svg", lambda spec, **how: found.append(spec) or real(spec, **how)
    )
    return found


def test_a_chart_is_exported_once_whoever_asks_again(exported):
    first = static_charts.svg(SPEC)
    assert static_charts.svg(json.loads(json.dumps(SPEC))) == first and first.startswith("<svg ")
    assert len(exported) == 1
    assert static_charts.svg(SPEC | {"width": 77}) != first and len(exported) == 2


def test_a_damaged_drawing_is_made_anew(exported, tmp_path):
    first = static_charts.svg(SPEC)
    next((tmp_path / "drawings").iterdir()).write_text(first[:50])
    assert static_charts.svg(SPEC) == first and static_charts.svg(SPEC) == first
    assert len(exported) == 2


def test_drawings_need_no_place_to_lie_in(exported, tmp_path):
    (tmp_path / "drawings").write_text("a file")
    assert static_charts.svg(SPEC) == static_charts.svg(SPEC) and len(exported) == 2


def test_what_nobody_asked_for_in_a_long_time_goes(exported, tmp_path):
    static_charts.svg(SPEC), static_charts.svg(SPEC | {"width": 77})
    old, kept = (tmp_path / "drawings").iterdir()
    os.utime(old, (0, time.time() - 2 * static_charts.KEPT_SECONDS))
    static_charts.forget()
    assert list((tmp_path / "drawings").iterdir()) == [kept]


def test_parts_hold_every_page_once_with_what_it_shares(tmp_path, monkeypatch):
    monkeypatch.setattr(page_parts, "MOST_CHARACTERS", 60)
    monkeypatch.setitem(kinds.KINDS, "numbers", list[dict[str, int | str]])
    with page_parts.Parts(tmp_path, "numbers") as pages:
        for n in range(7):
            pages.add({"n": n, "text": "x" * 20}, {str(n % 2): [{"title": str(n % 2), "facts": []}]})
    found = sorted((tmp_path / "parts").iterdir())
    assert [page["n"] for part in found for page in json.loads((part / "numbers.json").read_text())] == list(range(7))
    shared = json.loads((found[0] / "shared.json").read_text())
    assert len(found) == 4 and shared == {name: [{"title": name, "facts": []}] for name in ("0", "1")}
    with pytest.raises(ZeroDivisionError), page_parts.Parts(tmp_path / "broken", "numbers") as pages:
        pages.add({}, {})
        raise ZeroDivisionError
    assert not (tmp_path / "broken").exists()


def test_then_and_now_has_a_page_per_study_and_testbed_only_where_one_is_too_large(monkeypatch):
    entries = [
        {"source": source, "testbed": {"name": name}, "tasks": [{"why": "x" * 50, "rows": []}] * (source == "001")}
        for source, name in (("001", "loop"), ("001", "vm 6.12"), ("003", "loop"))
    ]
    assert [entry["page"] for entry in then_and_now._placed(entries)] == ["study/001/then-and-now/"] * 2 + [
        "study/003/then-and-now/"
    ]
    monkeypatch.setattr(then_and_now, "MOST_CHARACTERS", 100)
    assert [entry["page"] for entry in then_and_now._placed(entries)] == [
        "study/001/then-and-now/loop/",
        "study/001/then-and-now/vm-6.12/",
        "study/003/then-and-now/",
    ]


def test_the_list_of_experiments_is_split_likewise(monkeypatch):
    tables = [{"testbed": name, "count": 2} for name in ("loop", "ram")]
    assert {table["page"] for table in experiments.placed(tables)} == {"experiment/"}
    monkeypatch.setattr(experiments, "MOST_LISTED", 3)
    assert [table["page"] for table in experiments.placed(tables)] == ["experiment/loop/", "experiment/ram/"]


def test_a_database_made_in_parts_is_the_same(tmp_path, monkeypatch):
    records = factory.write_all(tmp_path, 2)
    whole, parted = tmp_path / "whole.duckdb", tmp_path / "parted.duckdb"
    database.build(records, whole)
    monkeypatch.setattr(database, "AT_ONCE", 3)
    database.build(records[::-1], parted)
    assert (
        _content(whole) == _content(parted)
        and sorted(p.suffix for p in tmp_path.iterdir() if p.is_file()) == [".duckdb"] * 2
    )


def _content(file):
    with query.connect(file) as connection:
        names = [
            row["name"]
            for row in query.rows(connection, "select table_name as name from duckdb_tables() order by name")
        ]
        return {name: query.rows(connection, f"select * from {name}") for name in names}


def test_details_of_a_few_experiments_are_those_of_all(tmp_path):
    database.build(factory.write_all(tmp_path, 2), tmp_path / "x.duckdb")
    with query.connect(tmp_path / "x.duckdb") as connection:
        records = query.records(connection)
        key, _other, *_ = records
        every, few = (
            query.details(connection, [identity for _, identity in records]),
            query.details(connection, [key[1]]),
        )
    for field in set(query.Details._fields) - {"pieces", "broken"}:  # these records have none
        place = key if field in ("measurements", "factors") else key[1]
        assert getattr(few, field)[place] == getattr(every, field)[place] and len(getattr(few, field)) == 1 < len(
            getattr(every, field)
        )
