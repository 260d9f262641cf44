"""What the pages of the studies say: places, units, marks, and ratios then and now."""

import json
from dataclasses import replace

import pytest

from findings_data import configurations
from spindlemark.analysis.findings.model import Cell, MetricTable, Pair
from spindlemark.analysis.studies.audit_model import Checked, Link
from spindlemark.analysis.studies.published_cells import read, table_rows
from spindlemark.analysis.studies.suspicious_patterns import Anomaly
from spindlemark.core.paths import REFERENCE
from spindlemark.site import palette
from spindlemark.site.studies import audit_page, locations, printed_tables, ratios


@pytest.fixture(scope="module")
def source():
    return read(REFERENCE / "001")


def checked(**changes) -> Checked:
    return Checked(
        **{
            "source": "001",
            "id": "average/x",
            "rule": None,
            "place": "table-15: jfs, average",
            "quote": "q",
            "claimed": ["614057"],
            "unit": "MiB",
            "relation": "equal",
            "vague": None,
            "reading": None,
            "tolerance": 0.5,
            "recomputed": [614058.0],
            "right": ["614058"],
            "verdict": "contradicted",
            "why": None,
            "query": "select 1",
            "links": [],
            "notes": [],
            "hints": [],
            "statement": "s",
        }
        | changes
    )


def test_a_place_in_a_table_has_its_printed_name_and_a_link(source):
    assert locations.place(source, "table-15: jfs, average") == {
        "text": "Table 15: jfs, Average",
        "url": "study/001/tables/#table-15",
    }
    assert locations.place(source, "4.1.5") == {"text": "Section 4.1.5", "url": None}
    assert locations.place(source, "Abstract: nothing, here")["url"] is None


def test_links_lead_to_the_tables_that_hold_the_rows(source):
    held = [
        ("table-18", "ext4--picture", "copy_seconds", "filesystem_lifecycle"),
        ("table-22", "ext4--picture", "check_seconds", "filesystem_lifecycle"),
    ]
    found = locations.links(source, [Link(experiment="ext4--picture", metric="copy_seconds")], held)
    assert [link["text"] for link in found] == ["Table 18"]
    assert len(locations.links(source, [Link(family="filesystem_lifecycle")], held)) == 2


def test_equal_names_of_claims_are_numbered():
    names = audit_page.fragment_names([checked(id="a b"), checked(id="a/b")])
    assert list(names.values()) == ["c-a-b", "c-a-b-2"]


def test_claims_read_as_a_person_would_say_them(source):
    found = audit_page._claim(source, checked(relation="about"), "c", [])
    assert (found["claimed"], found["figures"], found["tolerance"]) == ("about 614,057 MiB", "614,058 MiB", "± 0.5 MiB")
    words = checked(claimed=["true"], right=["false"], recomputed=[False], tolerance=None)
    assert audit_page._figures(words) == "do not support it"
    assert audit_page._figures(checked(verdict="not derivable", why="no figures")) == "cannot be derived"


def test_a_wrong_unit_stands_beside_the_right_one_with_its_reason(source):
    table = source.tables["table-15"]
    rows = table_rows(REFERENCE / "001", "table-15", table)
    marks = printed_tables.marks(source, [checked()], [])
    page = printed_tables.table(source, "table-15", table, rows, marks)
    assert page["columns"][1]["wrong"] == "bytes" and page["columns"][1]["unit"] == "KiB"
    assert any("printed as bytes, read as KiB" in text for text in page["units"])
    marked = [cell for row in page["rows"] for cell in row if cell["marks"]]
    assert len(marked) == 1 and marked[0]["marks"][0]["url"] == "study/001/#c-average-x"


def test_patterns_mark_every_cell_that_they_name(source):
    one = Anomaly(
        source="001",
        detector="d",
        title="t",
        cells=["table-24: reiserFS, test_3", "table-28: reiserFS, test_3"],
        statement="s",
    )
    assert set(printed_tables.marks(source, [], [one])) == {cell.casefold() for cell in one.cells}


def table(better: str, medians: dict[str, float], pairs: list[Pair], ranked: bool = True) -> MetricTable:
    cells = [
        Cell(
            configuration=s,
            experiment=s,
            identity="0",
            n=3,
            samples=[m] * 3,
            noisy=[False] * 3,
            median=m,
            low=m,
            high=m,
            stable=True,
        )
        for s, m in medians.items()
    ]
    return MetricTable(
        metric="m",
        title="M",
        unit="s",
        better=better,
        ranked=ranked,
        why_unranked=None if ranked else "too short",
        cells=cells,
        pairs=pairs,
        statement="",
    )


def test_ratios_are_of_values_whatever_is_better():
    slow = Pair(better="ext4", worse="xfs", ratio=2.0, low=1.8, high=2.2, p=0.001, verdict="better")
    found = ratios.ratio(table("lower", {"ext4": 1.0, "xfs": 2.0}, [slow]), "ext4", "xfs")
    assert (found["value"], found["interval"], found["side"]) == (2.0, "1.80–2.20", "worse")
    found = ratios.ratio(table("higher", {"ext4": 2.0, "xfs": 1.0}, [slow]), "ext4", "xfs")
    assert (found["value"], found["interval"], found["side"]) == (0.5, "0.45–0.56", "worse")
    fast = replace(slow, better="xfs", worse="ext4")
    found = ratios.ratio(table("lower", {"ext4": 2.0, "xfs": 1.0}, [fast]), "ext4", "xfs")
    assert (found["value"], found["side"]) == (0.5, "better") and found["low"] < 0.5 < found["high"]


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_a_value_is_the_ratio_that_its_interval_is_of(better):
    """Noisy rounds and short times move medians alone: here their ratio is 2, far outside."""
    pair = Pair(better="ext4", worse="xfs", ratio=1.02, low=0.93, high=1.12, p=0.5, verdict="equivalent")
    found = ratios.ratio(table(better, {"ext4": 1.0, "xfs": 2.0}, [pair]), "ext4", "xfs")
    assert found["low"] <= found["value"] <= found["high"] and found["side"] == "equivalent"
    assert found["value"] == pytest.approx(1.02 if better == "lower" else 1 / 1.02)


def test_what_counts_as_longer_than_it_took_makes_a_bound_and_two_such_no_ratio():
    pair = Pair(better="ext4", worse="xfs", ratio=2.0, low=1.8, high=2.2, p=0.001, verdict="better", short=True)
    found = ratios.ratio(table("lower", {"ext4": 0.01, "xfs": 0.4}, [pair]), "ext4", "xfs")
    assert (found["text"], found["interval"], found["low"], found["side"]) == ("≥ 2.00×", "≥ 1.80", None, "worse")
    found = ratios.ratio(table("lower", {"ext4": 0.01, "xfs": 0.4}, [pair]), "xfs", "ext4")
    assert (found["text"], found["side"]) == ("≤ 0.50×", "better")
    both = ratios.ratio(table("lower", {"ext4": 0.01, "xfs": 0.02}, [replace(pair, verdict=None)]), "ext4", "xfs")
    assert (both["text"], both["value"]) == ("too short", None)
    rows = [{"then": None, "now": both}]
    ratios.draw(rows)
    assert both["x"] is None and ratios.says({"side": "better"}, both, True) == "then better; now too short to compare"


def test_what_is_not_ranked_or_absent_has_no_ratio():
    assert ratios.ratio(table("lower", {"ext4": 1.0, "xfs": 2.0}, [], ranked=False), "ext4", "xfs") is None
    assert ratios.ratio(table("lower", {"ext4": 1.0}, []), "ext4", "xfs") is None
    assert ratios.ratio(table("lower", {"ext4": 1.0, "xfs": 2.0}, []), "ext4", "xfs")["interval"] == "–"


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("worse", "worse", "worse, then and now"),
        ("worse", "better", "then worse; now better"),
        ("undecided", "worse", "then undecided; now worse"),
        ("better", "equivalent", "then better; now equivalent"),
        ("undecided", "undecided", "undecided, then and now"),
        (None, "worse", "now worse; then too few samples"),
        ("worse", None, "too few samples"),
    ],
)
def test_what_became_of_a_difference(before, after, says):
    assert ratios.says({"side": before}, {"side": after}, True) == says


def test_subjects_of_studies_do_not_change_the_colours_of_ours():
    ours = {"ext4", "xfs", "xfs+noatime"}
    known = configurations(*ours)
    both = palette.assign(known, ours, ["reiserfs", "ext4", "atomic-no"])
    assert {s: both[s] for s in ours} == palette.assign(known, ours) and set(both) == ours | {"atomic-no", "reiserfs"}
    assert json.dumps(both)


def test_what_stands_on_one_chart_has_colours_of_its_own():
    """The eleventh base would have the colour of the first, which stands beside it here."""
    names = {f"{letter}{setting}" for letter in "abcdefghijkl" for setting in ("", "+x")}
    known = configurations(*names)
    looks = palette.assign(known, names, together=[{"a", "k", "k+x", "l", "b"}])
    assert len({looks[name]["colour"] for name in ("a", "b", "k", "l")}) == 4
    assert looks["k"]["colour"] == looks["k+x"]["colour"] and looks["k"]["shape"] != looks["k+x"]["shape"]
    assert palette.assign(known, names)["k"]["colour"] == palette.assign(known, names)["a"]["colour"], (
        "without a word it is the next in turn"
    )
    eight = set("abcdefgh")
    assert palette.assign(known, eight, together=[eight])["h"]["colour"] == palette.GREY
    assert palette.GREY not in {
        look["colour"] for look in palette.assign(known, eight, together=[eight | {palette.STUDY}]).values()
    }
