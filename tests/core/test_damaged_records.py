"""Specs, records and plans that were damaged, copied or replaced: told by name with a remedy that loses nothing."""

import json
import os

import pytest

import factory
from damaging import DEEP, changed, planned, replaced
from spindlemark.core.errors import UserError
from spindlemark.core.record import Spec, read_record, read_spec, records_in
from spindlemark.core.record_store import PARTIAL
from spindlemark.measure import pending, plan


@pytest.fixture
def results(tmp_path):
    return factory.write(tmp_path, factory.experiment(), 2)


IN_ITS_PLACE = [
    (lambda path: path.mkdir(), "is not a regular file"),
    (os.mkfifo, "is not a regular file"),
    (lambda path: path.symlink_to("/dev/zero"), "is not a regular file"),
    (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 2 << 30), "the limit is"),
    (lambda path: path.write_text(DEEP), "recursion limit"),
    (lambda path: path.write_text('{"attachments": ' + DEEP + "}"), "recursion limit"),
    (lambda path: path.write_bytes(b"\xff\xfe\0"), "the file"),
]


@pytest.mark.parametrize(("put", "named"), IN_ITS_PLACE)
@pytest.mark.parametrize("name", ["spec.json", "rep-1.json", "plan.json"])
def test_something_else_in_the_place_of_a_file_is_refused_at_once(results, name, put, named):
    path = results[0].parent / name
    path.write_text("{}")
    replaced(path, put)
    read = {"spec.json": read_spec, "rep-1.json": read_record, "plan.json": plan.read}[name]
    with pytest.raises(UserError, match=named) as raised:
        read(path)
    assert str(path) in raised.value.problem and "away" in raised.value.remedy and "\n" not in raised.value.problem


@pytest.mark.parametrize("name", ["spec.json", "rep-1.json"])
@pytest.mark.parametrize(("number", "said"), [(3, "newer version"), (99, "newer version"), (0, "no such format")])
def test_another_format_is_named(results, name, number, said):
    path = results[0].parent / name
    changed(path, record_format=number)
    with pytest.raises(UserError, match=f"record_format: is {number}: .*{said}"):
        (read_spec if name == "spec.json" else read_record)(path)


@pytest.mark.parametrize("key", ["testbed", "family", "experiment"])
@pytest.mark.parametrize("value", ["..", "../../..", "x$(touch pwned)", "a b", "[/x]", "\x1b[2J", "x" * 300])
def test_a_name_that_leaves_its_folder_is_refused_in_specs_and_records(results, key, value):
    for path, read in ((results[0], read_record), (results[0].parent / "spec.json", read_spec)):
        content = json.loads(path.read_text())
        content["experiment"][key] = value
        path.write_text(json.dumps(content))
        with pytest.raises(UserError, match=f"experiment.{key}") as raised:
            read(path)
        assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("started_at", "2026-11-21T10:00:00"),
        ("factors", []),
        ("factors", {"x": float("nan")}),
        ("environment", {"x": float("inf")}),
    ],
)
def test_what_later_stages_could_not_reckon_with_is_refused(results, key, value):
    content = json.loads(results[0].read_text())
    (content["experiment"] if key == "factors" else content)[key] = value
    results[0].write_text(json.dumps(content))
    with pytest.raises(UserError, match=key):
        read_record(results[0])


@pytest.mark.parametrize("value", [10**400, float("inf")])
def test_a_number_that_no_table_holds_is_refused(results, value):
    content = json.loads(results[0].read_text())
    content["measurements"][0]["value"] = value
    results[0].write_text(json.dumps(content))
    with pytest.raises(UserError, match="measurements.0.value"):
        read_record(results[0])


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_text("nonsense"),
        lambda path: path.write_text(path.read_text().replace('"none"', '"bfq"')),
        lambda path: path.write_text(path.read_text().replace('"filesystem"', '"filesistem"')),
        lambda path: changed(path, record_format=3),
        lambda path: replaced(path, os.mkfifo),
    ],
)
def test_the_remedy_for_a_damaged_spec_keeps_every_result_and_works(tmp_path, results, damage):
    spec, experiment = results[0].parent / "spec.json", factory.experiment()
    good, kept = spec.read_text(), [path.read_bytes() for path in results]
    damage(spec)
    with pytest.raises(UserError) as raised:
        read_spec(spec)
    assert "delete" not in raised.value.remedy and "move this file away" in raised.value.remedy
    spec.rename(spec.with_suffix(".damaged"))
    made = planned(experiment)
    plan.write(made, [Spec(identity=experiment.identity(), experiment=experiment)], tmp_path)
    assert read_spec(spec) == Spec.model_validate_json(good)
    assert [path.read_bytes() for path in results] == kept and pending.missing(made, tmp_path) == []


NO_RECORDS = [
    "rep-1 (copy).json",
    "rep-0.json",
    "rep-01.json",
    "rep-x.json",
    "rep--1.json",
    "rep-.json",
    "rep-9999999999.json",
]


@pytest.mark.parametrize(
    ("name", "put"),
    [
        *((name, lambda path: path.write_text("{}")) for name in NO_RECORDS),
        ("rep-9.json", lambda path: path.mkdir()),
        ("rep-9.json", os.mkfifo),
        ("rep-9.json", lambda path: path.symlink_to("nowhere")),
    ],
)
def test_what_is_called_like_a_record_and_is_none_is_told(tmp_path, results, name, put):
    put(results[0].parent / name)
    made = planned(factory.experiment())
    for look in (lambda: records_in(results[0].parent), lambda: pending.existing_records(made, tmp_path)):
        with pytest.raises(UserError) as raised:
            look()
        assert name in raised.value.problem and raised.value.remedy == "move it away"


def test_records_come_by_number_and_nothing_else_matters(results):
    folder = results[0].parent
    for n in (10, 3):
        (folder / f"rep-{n}.json").write_text("{}")
    for name in (f".rep-4.json{PARTIAL}", "rep-1.json~", "rep-1.json.bak", "notes.txt"):
        (folder / name).write_text("")
    assert [path.name for path in records_in(folder)] == ["rep-1.json", "rep-2.json", "rep-3.json", "rep-10.json"]
    assert records_in(folder / "nowhere") == []
