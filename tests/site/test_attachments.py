"""What a repetition kept, and texts of methods, as tables and facts on the pages."""

import json

import raw_records
from spindlemark.site import address, attachments, command_lists, methods


def test_attachments_have_the_units_that_their_family_declares(tmp_path):
    trials = [{"viewers": 4, "device_bytes": 5_000_000, "goodput_bytes_per_second": 2e6, "own_bytes": 7}]
    row = {"family": "http_streams", "testbed": "link", "experiment": "nginx", "identity": "0", "repetition": 1}
    row = raw_records.keep(tmp_path, row, {"trials": trials})
    [shown] = attachments.of_experiment([row], raw_records.below(tmp_path))["kept"]
    assert shown["columns"] == ["viewers", "device", "goodput", "own bytes"]
    assert shown["rows"] == [["4", "5.00 MB", "2.00 MB/s", "7"]]


def test_attachments_are_tables_where_they_are_rows(tmp_path):
    kept = {
        "fresh-probes": [{"streams": 4, "held": True, "worst": 0.123456, "fio": {"jobs": []}}, {"streams": 5}],
        "bonnie": {"text": "1.98,2\n", "tests": [1]},
        "seq": {"jobs": [{"a": 1}]},
        "note": {"limited_by": "disk"},
        "zcuts": [
            {"upto": 7, "also": [8], "fate": "kept"},
            {"upto": 7, "also": [], "fate": "kept"},
            {"upto": 9, "fate": "lost"},
        ],
    }
    row = {
        "family": "aging",
        "testbed": "loop",
        "experiment": "ext4",
        "identity": "0",
        "repetition": 1,
    }
    row = raw_records.keep(tmp_path, row, kept)
    bonnie, probes, note, seq, cuts = attachments.of_experiment([row], raw_records.below(tmp_path))["kept"]
    assert probes["columns"] == ["streams", "held", "worst"] and probes["rows"] == [
        ["4", "yes", "0.1235"],
        ["5", "", ""],
    ]
    assert bonnie["text"] == "1.98,2" and note["facts"] == [{"label": "limited by", "value": "disk"}]
    assert seq == {"name": "seq", "size": "20 B"}
    assert cuts["columns"] == ["upto", "fate", "times"] and cuts["rows"] == [["7", "kept", "2"], ["9", "lost", "1"]]
    assert attachments.of_experiment([row | {"family": address.FIRST}], tmp_path) is None


def test_each_recording_has_its_pieces():
    told = "r/0: 4 extents found\nr/1: 1 extent found\nr/2: 1 extent found\n"
    found = command_lists.pieces([{"repetition": 1, "step": "aged-pieces", "stdout": told}])
    assert found == [
        {"n": 1, "step": "aged pieces", "recordings": 3, "pieces": "6", "most": "4", "spread": "2 in 1, 1 in 4"}
    ]


def test_sections_of_a_method_have_ids_of_their_family(tmp_path):
    (tmp_path / "a.md").write_text("# `a`, method 2\n\n## What it measures\n\nSpeed.\n\n## Limits\n\n- None.\n")
    assert methods.text(tmp_path / "a.md", "f-a") == (
        "### What it measures {#f-a-what-it-measures}\n\nSpeed.\n\n### Limits {#f-a-limits}\n\n- None."
    )
    assert methods.text(tmp_path / "b.md", "f-b") == ""


def test_the_table_of_the_benchmark_is_shown_where_it_is(tmp_path):
    assert methods.truth(tmp_path / "none.json") == []
    rows = [{"section": "False alarms", "label": "per question", "value": 0.031, "text": "at most 5 %"}]
    (tmp_path / "truth.json").write_text(json.dumps(rows))
    assert methods.truth(tmp_path / "truth.json") == [
        {"section": "False alarms", "rows": [{"label": "per question", "value": "0.031", "text": "at most 5 %"}]}
    ]
