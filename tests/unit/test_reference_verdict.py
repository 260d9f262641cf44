"""Verdicts on made-up claims: tolerance, relations, hints, words."""

import pytest
import reference_data
import yaml
from pydantic import ValidationError

from spindlemark.errors import UserError
from spindlemark.reference.check import study
from spindlemark.reference.claims import Claim
from spindlemark.reference.hints import hints
from spindlemark.reference.verdict import agrees, printed_like, row_agrees, tolerance

CLAIM = {"place": "1", "quote": "so it was", "claimed": "2.0"}


@pytest.mark.parametrize(
    ("claimed", "recomputed", "relation", "own", "good"),
    [
        ("247", 247.2, "equal", None, True),
        ("247", 247.6, "equal", None, False),
        ("76", 75.5, "equal", None, True),
        ("0.46", 0.4550001, "equal", None, True),
        ("0.46", 0.4549, "equal", None, False),
        ("100", 103, "equal", 5, True),
        ("46", 45.1, "about", None, True),
        ("46", 44.9, "about", None, False),
        ("2", 1.9, "nearly", None, True),
        ("2", 2.09, "nearly", None, False),
        ("2", 1.7, "nearly", None, False),
        ("2", 2.7, "over", None, True),
        ("2", 2.0, "over", None, False),
        ("2", 2.0, "at most", None, True),
        ("2", 2.1, "at most", None, False),
        ("0.001", 0.002, "at most", 0.001, True),
        ("50", 49, "at least", None, False),
        ("50", 50, "at least", None, True),
        ("xfs", "XFS", "equal", None, True),
        ("xfs", "btrfs", "equal", None, False),
        ("true", True, "equal", None, True),
        ("true", False, "equal", None, False),
    ],
)
def test_one_value(claimed, recomputed, relation, own, good):
    assert agrees(claimed, recomputed, relation, own) is good


def test_a_row_of_values():
    assert row_agrees(["4", "10"], [4.4, 10.4])
    assert not row_agrees(["4", "10"], [4.4, 10.6])
    assert not row_agrees(["4", "10"], [4.0])
    assert row_agrees(["2", "4"], [2.1, 3.9], "within")
    assert not row_agrees(["2", "4"], [0.97, 3.6], "within")


def test_tolerance_is_half_the_last_printed_digit():
    assert [tolerance(text, "equal", None) for text in ("30.4", "155", "0.042", "1,234")] == [0.05, 0.5, 0.0005, 0.5]
    assert tolerance("46", "about", None) == 1


def test_what_would_be_right_has_the_claimed_precision():
    assert printed_like("30.4", 25.3304) == "25.3"
    assert printed_like("2", 2.0945) == "2"
    assert printed_like("2", 2.0945, differs=True) == "2.1"
    assert printed_like("1", 0.179) == "0.18"
    assert printed_like("xfs", "btrfs") == "btrfs"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, "either query or why"),
        ({"query": "select 1", "why": "no"}, "either query or why"),
        ({"query": "select 1", "quote": "word " * 21}, "more than 20 words"),
        ({"query": "select 1", "tolerance": 3}, "needs the reading"),
        ({"query": "select 1", "relation": "roughly"}, "Input should be"),
    ],
)
def test_a_claim_is_complete(change, problem):
    with pytest.raises(ValidationError, match=problem):
        Claim(**CLAIM | change)


@pytest.fixture
def checked(tmp_path):
    """Verdicts on claims about the made-up study."""

    def check(claims: dict, rules: dict | None = None) -> dict:
        folder = reference_data.made_up(tmp_path)
        (folder / "claims.yaml").write_text(yaml.safe_dump({"claims": claims, "rules": rules or {}}))
        with reference_data.with_made_up(tmp_path / "x.duckdb", folder) as connection:
            return {one.id: one for one in study(connection, folder)}

    return check


def test_verdicts_of_a_study(checked):
    mean = "select mean_of('900', 'ext4--picture', 'copy_seconds') / 60"
    found = checked(
        {
            "right": CLAIM | {"query": mean, "unit": "min"},
            "wrong": CLAIM | {"claimed": "2.4", "query": mean},
            "open": CLAIM | {"why": "nobody knows"},
        }
    )
    assert {name: one.verdict for name, one in found.items()} == {
        "right": "confirmed",
        "wrong": "contradicted",
        "open": "not derivable",
    }
    assert found["wrong"].recomputed == [2.0] and found["wrong"].right == ["2.0"]
    assert found["wrong"].statement == "Claimed is 2.4; the figures give 2.0."
    assert found["open"].statement == "2.0 cannot be derived: nobody knows."
    assert [(link.experiment, link.metric) for link in found["right"].links] == [("ext4--picture", "copy_seconds")]


def test_a_rule_gives_a_claim_for_each_row(checked):
    rule = {
        "place": "Table 1",
        "quote": "Average",
        "query": "select row_label as key, 'times: ' || row_label || ', average' as place, printed as claimed,"
        " (select avg(number) from reference_cell b where b.row_label = a.row_label and kind = 'sample') as recomputed "
        "from reference_cell a where column_name = 'average'",
    }
    found = checked({}, {"average": rule})
    assert {name: one.verdict for name, one in found.items()} == {
        "average/EXT": "confirmed",
        "average/XFS": "contradicted",
    }
    assert found["average/XFS"].right == ["1000.0"] and found["average/XFS"].links[0].table == "times"


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("select nothing", "the query fails"),
        ("select null", "without nulls"),
        ("select 1, 2", "2 values for 1 claimed"),
        ("select 1 where false", "one row"),
    ],
)
def test_a_bad_query_is_named(checked, query, problem):
    with pytest.raises(UserError, match="900/claims.yaml: bad: ") as raised:
        checked({"bad": CLAIM | {"query": query}})
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("claimed", "right", "recomputed", "words"),
    [
        ("155", "156", 155.79, "cut off"),
        ("11.786", "11.768", 11.768, "swapped"),
        ("105696306", "105695306", 105695306.0, "One digit"),
        ("103377", "103377336", 103377336.0, "last digits are missing"),
        ("1.5", "2.0", 2.0, None),
    ],
)
def test_hints_on_digits(tmp_path, claimed, right, recomputed, words):
    with reference_data.with_made_up(tmp_path / "x.duckdb", reference_data.made_up(tmp_path)) as connection:
        found = hints(connection, "900", claimed, right, recomputed, [])
    assert (words in " ".join(found)) if words else found == []


def test_a_hint_names_the_cell_with_the_same_value(tmp_path):
    folder = reference_data.made_up(tmp_path, csv=reference_data.CSV.replace("1.5", "14748.245"))
    with reference_data.with_made_up(tmp_path / "x.duckdb", folder) as connection:
        assert hints(connection, "900", "14,748.245", "1.0", 1.0, []) == [
            "The same value stands in times: EXT, test_1."
        ]
        assert hints(connection, "900", "14,748.245", "1.0", 1.0, ["times: EXT, test_1"]) == []
