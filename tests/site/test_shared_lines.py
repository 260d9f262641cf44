"""Texts that share lines are encoded and decoded without loss, also by the script of the pages."""

import json

import pytest

from spindlemark.site import gzip_files, record_packs, shared_lines

TEXTS = [
    "",
    "\n",
    "a",
    "a\n",
    "a\nb\nc\n",
    "c\nb\na\nunlike\n\nb",
    "a\nb\rstill b\u2028and b\nc\n\n\n",
    '@root@\n1\n"é"\nc\nb\na\n',
]


def test_texts_come_back():
    table = shared_lines.table(TEXTS)
    assert {"\n", "a\n", "b\n", "c\n"} >= set(table) >= {"a\n", "c\n"}
    places = {line: place for place, line in enumerate(table)}
    for text in TEXTS:
        assert shared_lines.decode(shared_lines.encode(text, places), table) == text


def test_lines_that_follow_each_other_are_steps_of_nothing():
    texts = ["a\nb\nc\n"] * shared_lines.LEAST
    table = shared_lines.table(texts)
    assert shared_lines.encode("own\nalso\nb\nc\na\n", {line: n for n, line in enumerate(table)}) == [
        "own\nalso\n",
        1,
        0,
        -3,
    ]


def test_records_of_a_family_take_less_with_a_table_than_alone(tmp_path):
    packs = [
        record_packs.Pack(
            f"data/raw/loop/family/e{n}/id",
            {"rep-1.json": json.dumps({f"key {k}": k if k % 40 else n for k in range(4000)}, indent=1)},
        )
        for n in range(4)
    ]
    names = record_packs.write_together(packs, tmp_path)
    assert [record_packs.read(tmp_path, names[pack.folder]) for pack in packs] == [pack.files for pack in packs]
    packed = sum((tmp_path / record_packs.place(name)).stat().st_size for name in names.values())
    gzip_files.write(tmp_path / "alone", json.dumps(packs[0].files).encode())
    assert packed < 4 * (tmp_path / "alone").stat().st_size / 3


@pytest.mark.parametrize(
    "pack",
    [
        b"{}",
        b"[]",
        b'{"table": 1, "files": {}}',
        b'{"table": "x", "files": 1}',
        b'{"table": "%s", "files": {"a": [99]}}',
    ],
)
def test_a_damaged_pack_is_an_error(tmp_path, pack):
    name = "00" * 32
    record_packs.write_together([record_packs.Pack("data/raw/a/b/c/d", {"spec.json": "1"})], tmp_path)
    table = next((tmp_path / record_packs.TABLES).iterdir()).name.removesuffix(".json.gz")
    gzip_files.write(tmp_path / record_packs.place(name), pack.replace(b"%s", table.encode()))
    with pytest.raises((OSError, ValueError)):
        record_packs.read(tmp_path, name)
