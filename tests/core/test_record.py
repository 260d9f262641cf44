"""Identity and record: what changes a number changes the identity, and damaged files are refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import factory
from spindlemark.core import migrations
from spindlemark.core.errors import UserError
from spindlemark.core.record import Experiment, Part, Spec, canonical, join_parts, read_record, read_spec

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5))
def test_canonical_does_not_depend_on_key_order_and_survives_json(value):
    shuffled = dict(reversed(value.items()))
    assert canonical(value) == canonical(shuffled)
    assert canonical(json.loads(json.dumps(value))) == canonical(value)


def test_whole_floats_and_integers_are_one_value():
    assert canonical({"a": 1.0, "b": [2.0]}) == canonical({"a": 1, "b": [2]})
    assert canonical({"a": 1.5}) != canonical({"a": 1})


def test_identity_follows_everything_but_the_names():
    base = factory.experiment()
    same = base.model_copy(update=factory.named("another+name@bfq--as--well"))
    assert same.identity() == base.identity()
    for change in (
        {"method": 2},
        {"testbed": "disk"},
        {"family": "other"},
        {"factors": {"a": 1}},
        {"fingerprint": {"kernel": "7.0"}},
    ):
        assert base.model_copy(update=change).identity() != base.identity()


def test_identity_is_stable_over_versions_of_this_program():
    fixed = Experiment(
        family="f",
        testbed="t",
        factors={"a": [1, 2.5, "ü"]},
        method=1,
        fingerprint={},
        **factory.named("e"),
    )
    assert fixed.identity() == "feac904dc0d3"


def test_recorded_specs_keep_their_identity_and_get_the_parts_of_their_names():
    """Specs of releases, in format 1."""
    recorded = json.loads(Path(__file__).with_name("recorded_specs.json").read_text())
    read = [migrations.read(Spec, "spec", json.dumps(each).encode())[0] for each in recorded]
    assert [spec.experiment.identity() for spec in read] == [each["identity"] for each in recorded]
    assert [join_parts(spec.experiment.parts()) for spec in read] == [e["experiment"]["experiment"] for e in recorded]
    scheduled, container, served, plain = (spec.experiment for spec in read)
    assert scheduled.configuration == Part(value="ext4", under="bfq")
    assert container.workload[0] == Part(value="ext4", setting="noinit")
    assert [part.name for part in served.workload] == ["ext4", "disk", "1024"]
    assert (served.configuration, plain.configuration) == (Part(value="nginx", setting="threads"), Part(value="ext4"))
    again = Spec.model_validate_json(read[0].model_dump_json())
    assert (again, again.record_format) == (read[0], 2)


@pytest.fixture
def results(tmp_path):
    return factory.write(tmp_path, factory.experiment(), 2)


def test_written_records_are_read_back(results):
    assert [read_record(p).repetition for p in results] == [1, 2]
    assert read_spec(results[0].parent / "spec.json").identity == results[0].parent.name


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: text.replace('"repetition":1', '"repetition":"one"', 1),
        lambda text: text.replace('"status":"ok"', '"status":"fine"', 1),
        lambda text: text.replace('"record_format":2', '"record_format":2,"surprise":true', 1),
        lambda text: text.replace('"method":1', '"method":2', 1),
        lambda text: text.replace('"repetition":1', '"repetition":7', 1),
    ],
)
def test_damaged_record_is_refused_by_name(results, damage):
    results[0].write_text(damage(results[0].read_text()))
    with pytest.raises(UserError) as raised:
        read_record(results[0])
    assert str(results[0]) in str(raised.value)
    assert "move the file away" in raised.value.remedy


def test_record_in_a_foreign_folder_is_refused(results):
    elsewhere = results[0].parent.parent / "0123456789ab" / results[0].name
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(results[0].read_bytes())
    with pytest.raises(UserError, match="identity"):
        read_record(elsewhere)


def test_edited_spec_is_refused(results):
    spec = results[0].parent / "spec.json"
    spec.write_text(spec.read_text().replace('"scheduler":"none"', '"scheduler":"bfq"'))
    with pytest.raises(UserError, match="not the hash"):
        read_spec(spec)
