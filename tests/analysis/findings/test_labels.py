"""Words of factor values: what a family says of them names subjects and workloads, and never hides which is which."""

import pytest

from factory_families import configured
from findings_data import Lab
from spindlemark import config
from spindlemark.analysis.findings import labels
from spindlemark.core.record import Part

WORDS = {
    "layout": {"one-1-gb": "one file of {file_bytes}"},
    "rate.name": "{rate.bytes_per_second}",
    "offloads": "offloads {}",
    "eee": {"on": "energy efficient Ethernet"},
}


@pytest.mark.parametrize(
    ("parts", "settings", "subject", "workload"),
    [
        (
            [{"value": "one-1-gb"}],
            {"layout": "one-1-gb", "file_bytes": "537000000"},
            "one file of 537 MB",
            "one file of 537 MB",
        ),
        (
            [{"value": "25-mbit"}],
            {"rate.name": "25-mbit", "rate.bytes_per_second": "3125000.0"},
            "25 Mbit/s",
            "25 Mbit/s",
        ),
        ([{"value": "two-gb"}], {"layout": "two-gb"}, "two-gb", "two gb"),
        (
            [{"value": "ext4", "setting": "m0", "under": "bfq"}],
            {"filesystem.name": "ext4"},
            "ext4+m0@bfq",
            "ext4+m0@bfq",
        ),
    ],
)
def test_values_read_as_declared_and_by_themselves_where_nothing_is_said(parts, settings, subject, workload):
    found = labels.parts([Part(**part) for part in parts], WORDS, settings)
    assert (labels.configuration(found), labels.workload(found)) == (subject, workload)


def test_of_two_factors_with_one_value_a_part_of_a_name_is_the_one_that_is_not_usual():
    settings, usual = {"offloads": "on", "eee": "on"}, {"offloads": "on", "eee": "kernel"}
    on = Part(value="on")
    assert [p.factor for p in labels.parts([on], WORDS, settings, usual)] == ["eee"]
    assert [p.text for p in labels.parts([on], WORDS, settings | {"eee": "kernel"}, usual)] == ["offloads on"]
    assert {p.factor for p in labels.parts([on, on], WORDS, settings, usual)} == {"eee", "offloads"}


def test_two_values_that_read_alike_keep_their_names(tmp_path, monkeypatch):
    lab = Lab(tmp_path)
    for layout, cache, seconds in (("one", "cached", 1.0), ("one", "direct", 2.0), ("many", "cached", 3.0)):
        exp = configured("file_creation", "ext4", f"{layout}--{cache}")
        factors = {name: value for name, value in exp.factors.items() if not name.startswith("part")}
        lab.repeated(
            exp.model_copy(update={"factors": factors | {"layout": layout, "cache": cache}}),
            {"creation_seconds": [seconds] * 3},
        )
    asked = config.load().questions
    told = asked["file_creation"].model_copy(update={"words": {"cache": {"cached": "cache", "direct": "cache"}}})
    monkeypatch.setattr("spindlemark.config.questions.load", lambda *_: asked | {"file_creation": told})
    assert {name for c in lab.findings().contrasts for row in c.rows for name in (c.baseline, row.configuration)} == {
        "direct",
        "cached",
    }


def test_files_of_a_library_are_counted_in_words():
    words = {"library.name": {"picture": "pictures, {library.files} of 1,345,102 files"}}
    settings = {"library.name": "picture", "library.files": "134510"}
    found = labels.parts([Part(value="ext4"), Part(value="picture")], words, settings)
    assert labels.workload(found[1:]) == "pictures, 134,510 of 1,345,102 files"


@pytest.mark.parametrize(
    ("count", "said"), [("1", "1 source"), ("2", "2 sources"), ("11", "11 sources"), ("16000", "16,000 sources")]
)
def test_a_count_agrees_with_its_noun(count, said):
    settings = {"sources.name": f"{count}-sources", "sources.count": count}
    assert (
        labels.value({"sources.name": "{sources.count} sources"}, "sources.name", f"{count}-sources", settings) == said
    )
