"""Limits of the values in a contribution, and when they are checked."""

import io
import json
import zipfile

import pytest

import malicious_records
from contributed import refused, some
from malicious import Good
from spindlemark.core.errors import UserError
from spindlemark.release.contributions import archive, checks, export, text_limits


def _listed(depth: int, count: int) -> list:
    """`count` lists of `depth` levels."""
    value: list = []
    for _ in range(depth - 1):
        value = [value]
    return [value] * count


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        ("experiment/factors/list", [1] * 1_000_000, "line 1: has 100"),
        ("experiment/factors/lists", _listed(8, 30_000), "line 1: has 2"),
        ("experiment/factors/map", {f"key{n}": n for n in range(200_000)}, "line 1: has 20"),
        ("experiment/factors/deep", _listed(13, 1), "line 1: is nested deeper than 12"),
        ("experiment/factors/deep", _listed(1000, 1), "line 1: is nested deeper than 12"),
        ("experiment/fingerprint/list", [None] * 160_000, "line 1: has 16"),
        ("attachments/list", ["[{,"] * 160_000, "line 1: has 16"),
        ("attachments/deep", _listed(200_000, 1), "line 1: has 20"),
    ],
    ids=range(8),
)
def test_a_record_of_too_many_values_is_refused_before_it_is_read(monkeypatch, tmp_path, good, place, value, reason):
    monkeypatch.setattr(checks.migrations, "read", _unexpected)
    assert reason in refused(tmp_path, _with(good, place, value))


def _unexpected(*_: object) -> None:
    raise AssertionError("is called")


def _with(good: Good, place: str, value: object) -> bytes:
    """The contribution with `value` in its first record, however deep it is."""
    text = good.changed(malicious_records.set_value(place, "VALUE"))
    with zipfile.ZipFile(io.BytesIO(text)) as packed:
        records = packed.read(archive.RECORDS)
    return good.bytes(records.replace(b'"VALUE"', _json(value)))


def _json(value: object) -> bytes:
    if value == [] or not (isinstance(value, list) and len(value) == 1):
        return json.dumps(value, separators=(",", ":")).encode()
    levels = 0
    while isinstance(value, list) and len(value) == 1:
        value, levels = value[0], levels + 1
    return b"[" * levels + _json(value) + b"]" * levels


def test_the_values_of_all_records_are_bounded_before_one_is_read(monkeypatch, tmp_path, good):
    monkeypatch.setattr(checks.migrations, "read", _unexpected)
    line = b"[" + b",".join([b"0"] * 49_000) + b"]\n"
    told = refused(tmp_path, good.bytes(line * 400))
    assert "records.jsonl: has 19" in told and "at most 16000000 are allowed" in told


def test_an_export_has_no_more_values_than_an_import_accepts(monkeypatch):
    monkeypatch.setattr(text_limits, "MOST_OF_ALL", 1000)
    with pytest.raises(UserError, match="has [0-9]+ values; at most 1000 are allowed") as told:
        export.pack(some("filesystem_lifecycle", "btrfs--frames"))
    assert "--session" in str(told.value.remedy)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        ("experiment/factors/list", [1] * 201, "factors.list: has 201 entries; at most 200"),
        ("experiment/factors/map", {f"key{n}": n for n in range(500)}, "factors: has 5"),
        ("experiment/factors/lists", [[1] * 50] * 10, "factors: has 5"),
        ("experiment/fingerprint/map", {f"key{n}": n for n in range(500)}, "fingerprint: has 5"),
    ],
    ids=range(4),
)
def test_a_record_of_too_many_facts_is_refused_before_it_is_analysed(monkeypatch, tmp_path, good, place, value, reason):
    monkeypatch.setattr(checks.database, "build_rows", _unexpected)
    told = refused(tmp_path, good.changed(malicious_records.set_in_all(place, value)))
    assert "line 1: " in told and reason in told
