"""Verdicts on made-up claims: tolerance, relations, hints, words."""

import pytest
import yaml
from pydantic import ValidationError

import reference_data
from spindlemark.analysis.studies.author_errors import counted
from spindlemark.analysis.studies.claim_checks import omissions, study
from spindlemark.analysis.studies.claim_model import Claim
from spindlemark.analysis.studies.claim_verdict import judge, judge_row, printed_like, right_values, tolerance
from spindlemark.analysis.studies.hints import hints
from spindlemark.core.errors import UserError

CLAIM = {"place": "1", "quote": "so it was", "claimed": "2.0"}


@pytest.mark.parametrize(
    ("claimed", "recomputed", "relation", "verdict"),
    [
        ("247", 247.2, "equal", "confirmed"),
        ("247", 247.6, "equal", "cut off"),
        ("1025", 1024.41, "equal", "cut off"),
        ("247", 248.0, "equal", "contradicted"),
        ("76", 75.5, "equal", "confirmed"),
        ("0.46", 0.4550001, "equal", "confirmed"),
        ("0.46", 0.4549, "equal", "cut off"),
        ("0.46", 0.449, "equal", "contradicted"),
        ("46", 50.6, "about", "confirmed"),
        ("46", 50.7, "about", "contradicted"),
        ("2", 2.9, "about", "confirmed"),
        ("2.0", 2.21, "nearly", "contradicted"),
        ("2.0", 2.09, "nearly", "confirmed"),
        ("2.0", 1.9, "nearly", "confirmed"),
        ("2", 2.7, "over", "confirmed"),
        ("2", 2.0, "over", "contradicted"),
        ("2", 2.0, "at most", "confirmed"),
        ("2", 2.1, "at most", "contradicted"),
        ("50", 49, "at least", "contradicted"),
        ("50", 50, "at least", "confirmed"),
        ("xfs", "XFS", "equal", "confirmed"),
        ("xfs", "btrfs", "equal", "contradicted"),
        ("true", True, "equal", "confirmed"),
        ("true", False, "equal", "contradicted"),
    ],
)
def test_one_value(claimed, recomputed, relation, verdict):
    assert judge(claimed, recomputed, relation) == verdict


def test_a_row_is_as_good_as_its_worst_value():
    assert judge_row(["4", "10"], [4.4, 10.4]) == "confirmed"
    assert judge_row(["4", "10"], [4.4, 10.6]) == "cut off"
    assert judge_row(["4", "10"], [5.4, 10.6]) == "contradicted"
    assert judge_row(["2", "4"], [2.1, 3.9], "within") == "confirmed"
    assert judge_row(["2", "4"], [0.97, 3.6], "within") == "contradicted"


def test_tolerance_is_half_the_last_printed_digit():
    assert [tolerance(text, "equal") for text in ("30.4", "155", "0.042", "1,234")] == [0.05, 0.5, 0.0005, 0.5]
    assert [tolerance(text, "about") for text in ("2", "50")] == [1, 5]


def test_what_would_be_right_has_the_claimed_precision():
    assert printed_like("30.4", 25.3304) == "25.3"
    assert printed_like("2", 2.0945) == "2"
    assert printed_like("2", 2.0945, differs=True) == "2.1"
    assert printed_like("1", 0.179) == "0.18"
    assert printed_like("xfs", "btrfs") == "btrfs"
    assert right_values(["52", "4"], [52.77, 4.2], "equal") == ["52.8", "4"], "one digit more where it was cut off"
    assert right_values(["2", "4"], [0.97, 3.63], "within") == ["1.0", "3.6"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, "either query or why"),
        ({"query": "select 1", "why": "no"}, "either query or why"),
        ({"query": "select 1", "quote": "word " * 21}, "more than 20 words"),
        ({"query": "select 1", "tolerance": 3}, "Extra inputs are not permitted"),
        ({"query": "select 1", "vague": "small"}, "either what is claimed or the vague word"),
        ({"query": "select 1", "claimed": [], "vague": "biggish"}, "no word 'biggish'"),
        ({"query": "select 1", "units": ["furlong"]}, "furlong: no such unit"),
        ({"query": "select 1", "relation": "roughly"}, "Input should be"),
    ],
)
def test_a_claim_is_complete(change, problem):
    with pytest.raises(ValidationError, match=problem):
        Claim(**CLAIM | change)


@pytest.fixture
def checked(tmp_path):
    """Verdicts on claims about the made-up study."""

    def check(claims: dict, rules: dict | None = None, slips: dict | None = None) -> dict:
        folder = reference_data.made_up(tmp_path)
        content = {"claims": claims, "rules": rules or {}, "slips": slips or {}}
        (folder / "claims.yaml").write_text(yaml.safe_dump(content))
        with reference_data.with_made_up(tmp_path / "x.duckdb", folder) as connection:
            return {one.id: one for one in study(connection, folder)}

    return check


def test_verdicts_of_a_study(checked, snapshot):
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
    snapshot({name: found[name].statement for name in ("wrong", "open")})
    assert [(link.experiment, link.metric) for link in found["right"].links] == [("ext4--picture", "copy_seconds")]


def test_a_vague_word_has_its_threshold_from_the_table(checked, snapshot):
    found = checked(
        {
            name: {"place": "1", "quote": "a little", "vague": "small", "query": f"select 2.5, {value}"}
            for name, value in (("little", 10), ("much", 10.1))
        }
    )
    assert [(one.verdict, one.claimed, one.relation) for one in found.values()] == [
        ("confirmed", ["10", "10"], "at most"),
        ("contradicted", ["10", "10"], "at most"),
    ]
    snapshot(found["much"].statement)


def test_where_the_unit_is_open_the_one_that_fits_counts(checked, snapshot):
    found = checked({"gap": CLAIM | {"claimed": "48", "units": ["GiB", "GB"], "query": "select 48.4e9"}})
    assert (found["gap"].verdict, found["gap"].unit, found["gap"].recomputed) == ("confirmed", "GB", [48.4])
    snapshot(found["gap"].hints)


def test_a_slip_that_shows_in_several_claims_counts_once(checked):
    wrong = CLAIM | {"query": "select 7"}
    claims = {"first": wrong, "second": wrong, "right": CLAIM | {"query": "select 2"}}
    found = checked(claims, slips={"seven": {"what": "Two for seven.", "claims": ["*"]}})
    assert {one.id: one.slip for one in found.values()} == {"first": "seven", "second": "seven", "right": None}
    assert counted(found.values()) == {"contradicted": 1, "confirmed": 1}
    with pytest.raises(UserError, match="slips.none: no contradicted claim shows it"):
        checked(claims, slips={"none": {"what": "None.", "claims": ["right"]}})


def test_a_rule_may_find_a_value_wrong_without_knowing_the_right_one(checked, snapshot):
    rule = {
        "place": "1",
        "quote": "q",
        "query": "select 'a' as key, 'times: a, b' as place, '3' as claimed, null::double as recomputed",
    }
    one = checked({}, {"sum": rule})["sum/a"]
    assert (one.verdict, one.right) == ("contradicted", [])
    snapshot(one.statement)


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
        ("155", "156", 155.79, "truncated"),
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


def test_a_hint_names_the_cell_with_the_same_value(tmp_path, snapshot):
    folder = reference_data.made_up(tmp_path, csv=reference_data.CSV.replace("1.5", "14748.245"))
    with reference_data.with_made_up(tmp_path / "x.duckdb", folder) as connection:
        snapshot(hints(connection, "900", "14,748.245", "1.0", 1.0, []))
        assert hints(connection, "900", "14,748.245", "1.0", 1.0, ["times: EXT, test_1"]) == []


def test_an_omission_with_other_values_than_its_sentence_is_named(tmp_path):
    folder = reference_data.made_up(tmp_path)
    told = {"place": "Table 1", "statement": "It takes {} times as long.", "query": "select 1, 2"}
    (folder / "claims.yaml").write_text(yaml.safe_dump({"claims": {}, "omissions": {"check": told}}))
    with (
        reference_data.with_made_up(tmp_path / "x.duckdb", folder) as connection,
        pytest.raises(UserError, match=r"900/claims.yaml: check: the query gives 2 values for the sentence"),
    ):
        omissions(connection, folder)
