"""The audit of the five studies: averages recomputed, known contradictions found, nothing left without a verdict."""

import json
import sys

import duckdb
import pytest

import reference_data
from spindlemark.analysis import database
from spindlemark.analysis.studies import audit as audit_module
from spindlemark.analysis.studies.audit import audit
from spindlemark.analysis.studies.audit_model import Audit
from spindlemark.analysis.studies.suspicious_patterns import anomalies
from spindlemark.core.paths import REFERENCE
from spindlemark.release import tables

# Claims that must fail, and what would be right.
CONTRADICTED = {
    ("001", "check-difference-22-seconds"): "21.3 min, 1276",
    ("001", "xfs-picture-copy-saved"): "25.3",
    ("001", "xfs-delete-saved"): "4.60",
    ("001", "libraries-in-abstract"): "4",
    ("001", "fifty-gb-files-on-600-gb"): "12",
    ("001", "sound-library-size"): "599.7 GiB, not",
    ("001", "large-files-marginal"): "20",
    ("001", "fill-size-of-large-files"): "25",
    ("001", "default-row/table-34/free_size"): "105695306",
    ("001", "default-row/table-37/check_time"): "11.768",
    ("001", "default-row/table-38/free_size"): "103377336",
    ("001", "best-and-worst/delete_seconds/picture/best_result"): "btrfs",
    ("001", "best-and-worst/copy_seconds/video/worst_result"): "reiserfs",
    ("001", "recommended-option/video/option_1"): "btrfs",
    ("001", "free-from-used/xfs--video-hd/3"): "627985968",
    ("002", "theoretical-maximum"): "10",
    ("002", "difference/eee-jumbo-on/Write / Sequential Write 1MiB (Q= 8, T= 1)"): "-4.00",
    ("003", "nine-data-files"): "7",
    ("003", "decimals-of-time"): "3",
    ("003", "jam-27-times-jump"): "25",
    ("004", "ivdr-most-streams-again"): "4",
    ("004", "device-name"): "HighLander80",
}
CUT_OFF = {
    ("000", "forty-thousand-mobs"): ["110.7"],
    ("001", "video-mean"): ["52.8"],
    ("001", "ext4-29-times-faster"): ["29.8"],
    ("001", "ext4-48-gb-behind"): ["48", "48.8", "48.8", "48.8"],
    ("002", "network-write"): ["1024.4"],
    ("003", "duck-4-10-20"): ["4.4", "10.6", "20"],
}
# What one could wrongly take for a contradiction: another moment, another measurement, another author, another unit.
UNREFUTED = {
    ("001", "ext4-48-gb-less"): "confirmed",
    ("001", "ext4-48-gb-freed"): "confirmed",
    ("001", "copy-nearly-twice"): "confirmed",
    ("001", "video-hd-mean"): "confirmed",
    ("001", "ext4-default-format-in-two-tables"): "not derivable",
    ("001", "ext4-tuned-delete-picture"): "not derivable",
    ("001", "reiserfs-largest-file"): "not derivable",
    ("004", "now-cpu"): "confirmed",
}
CONFIRMED = [
    ("001", "copy-difference-of-xfs"),
    ("001", "used-difference-picture"),
    ("001", "delete-difference"),
    ("001", "pictures-38431-times-video-hd"),
    ("001", "ext4-tuned-copy-picture"),
    ("000", "ten-thousand-mobs"),
    ("002", "difference/jumbo-frames/Read / Sequential Read 1MiB (Q= 1, T= 1)"),
    ("003", "jam-disk-speed"),
    ("004", "hdd-most-streams"),
]
ANOMALIES = [
    ("000", "edits_too_fast", "Hells Kitchen"),
    ("000", "jump_with_size", "scaletest: 16000, read_4k"),
    ("001", "same_value_in_two_tables", "table-28: reiserFS, test_3"),
    ("001", "same_words_in_two_blocks", "Free space"),
    ("001", "block_granularity", "table-13: btrfs, test_3"),
    ("001", "end_of_a_neighbour", "table-36: Test 2 optimized"),
    ("001", "outlier_repetition", "table-24: reiserFS, test_3"),
    ("001", "whole_seconds", "table-18: xfs, test_1"),
    ("002", "same_row_in_two_tables", "eee-jumbo-on: Write"),
    ("002", "fewer_decimals", "eee-jumbo-off"),
    ("003", "falls_with_size", "jam: 38, atomic_yes"),
]


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    with reference_data.whole(tmp_path_factory.mktemp("audit") / "x.duckdb") as opened:
        yield opened


@pytest.fixture(scope="module")
def result(connection) -> Audit:
    return audit(connection)


@pytest.fixture(scope="module")
def by_id(result):
    return {(one.source, one.id): one for one in result.claims}


def test_every_published_average_follows_from_its_tests(result):
    averages = [one for one in result.claims if one.rule == "average"]
    assert len(averages) == 114
    assert not [one.id for one in averages if one.verdict != "confirmed"]


@pytest.mark.parametrize(("key", "right"), CONTRADICTED.items())
def test_known_contradictions_are_found(by_id, key, right):
    one = by_id[key]
    assert (one.verdict, one.right) == ("contradicted", [right])
    assert right in one.statement and one.query


@pytest.mark.parametrize(("key", "right"), CUT_OFF.items())
def test_what_is_less_than_one_digit_off_is_cut_off(by_id, key, right):
    assert (by_id[key].verdict, by_id[key].right) == ("cut off", right)


@pytest.mark.parametrize(("key", "verdict"), UNREFUTED.items())
def test_what_speaks_of_something_else_refutes_nothing(by_id, key, verdict):
    assert by_id[key].verdict == verdict


def test_no_right_size_breaks_the_rule_that_finds_the_wrong_one(result):
    wrong = [one for one in result.claims if one.rule == "free-from-used" and one.verdict == "contradicted"]
    assert len(wrong) == 4 and all(int(value) % 4 == 0 for one in wrong for value in one.right)


def test_one_slip_is_one_slip(result):
    rows = {slip.id: len(slip.claims) for slip in result.slips}
    assert rows["numbers-in-the-lists"] == 31 and rows["minutes-saved-by-xfs"] == 3


@pytest.mark.parametrize("key", CONFIRMED)
def test_what_follows_is_confirmed(by_id, key):
    assert by_id[key].verdict == "confirmed"


@pytest.mark.parametrize(("source", "detector", "cell"), ANOMALIES)
def test_known_anomalies_are_found(result, source, detector, cell):
    assert [
        one
        for one in result.anomalies
        if (one.source, one.detector) == (source, detector) and any(cell in name for name in one.cells)
    ]


def test_ids_are_unique_and_counts_add_up(result, by_id):
    assert len(by_id) == len(result.claims)
    for one in result.studies:
        own = [claim for claim in result.claims if claim.source == one.source]
        merged = sum(len(slip.claims) - 1 for slip in result.slips if slip.source == one.source)
        assert (one.rows, sum(one.verdicts.values())) == (len(own), len(own) - merged)
        assert one.verdicts["not derivable"] > 0 < one.verdicts["contradicted"]


def test_the_query_of_a_ruled_claim_gives_its_value_alone(connection, result):
    for one in {(claim.source, claim.rule): claim for claim in result.claims if claim.rule}.values():
        assert connection.execute(one.query).fetchone() == pytest.approx(tuple(one.recomputed)), one.id


def test_every_claim_on_figures_leads_to_rows(result):
    bare = [one.id for one in result.claims if one.query and "reference_cell" in one.query and not one.links]
    assert not bare


def test_no_detector_fires_on_a_clean_study(tmp_path):
    clean = "fs,test_1,test_2,average\nEXT,1.5,1.7,1.6\nXFS,2.3,2.1,2.2\n"
    study = reference_data.made_up(tmp_path, csv=clean)
    with reference_data.with_made_up(tmp_path / "x.duckdb", study) as opened:
        assert anomalies(opened, "900") == []


def test_an_average_outside_its_tests_is_reported(tmp_path):
    wrong = "fs,test_1,test_2,average\nEXT,1.5,1.7,1.8\nXFS,2.3,2.1,2.2\n"
    study = reference_data.made_up(tmp_path, csv=wrong)
    with reference_data.with_made_up(tmp_path / "x.duckdb", study) as opened:
        assert [one.statement for one in anomalies(opened, "900")] == ["The average 1.8 is outside 1.5 to 1.7."]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A database as a version's: records (none here) and the studies."""
    path = tmp_path_factory.mktemp("built") / "x.duckdb"
    database.build([], path, REFERENCE)
    return path


def test_a_release_carries_the_verdicts(built, tmp_path, result):
    tables.export(built, tmp_path, ["claims"])
    held = duckdb.sql(f"select study, id, verdict, slip, explanation from '{tmp_path}/claims.parquet'").fetchall()
    assert sorted(row[:2] for row in held) == sorted((c.source, c.id) for c in result.claims)
    assert {row[:4] for row in held} == {(c.source, c.id, c.verdict, c.slip) for c in result.claims}
    assert all(row[4] for row in held)


def test_the_command_writes_the_same_audit(built, tmp_path, result, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["audit", str(built), "--output", str(tmp_path / "audit.json")])
    audit_module.main()
    assert Audit.model_validate(json.loads((tmp_path / "audit.json").read_text())) == result


def test_what_a_table_shows_and_the_text_leaves_out_is_derived(result):
    found = {one.id: one.statement for one in result.omissions}
    assert f"in {2452.406 / 576.369:.2f} times the time" in found["ext4-deletion-of-pictures"]
    assert f"takes {1560.921 / 893.261:.2f} times as long" in found["reiserfs-check-of-sounds"]
    assert {one.source for one in result.omissions} == {"001"}
