"""The committed schemas are those of the models."""

import json

import factory
from spindlemark.cli import schemas
from spindlemark.core import declared
from spindlemark.core.paths import SCHEMAS


def test_schemas_do_not_drift():
    committed = {path.name: path.read_text() for path in SCHEMAS.glob("*.schema.json")}
    assert committed == schemas.texts(), "write them anew: .venv/bin/python -m spindlemark.cli.schemas"


def test_a_record_fits_its_schema():
    import jsonschema

    schema = json.loads((SCHEMAS / "record.schema.json").read_text())
    good = json.loads(factory.record(factory.experiment()).model_dump_json())
    jsonschema.validate(good, schema)
    bad = good | {"status": "fine"}
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(bad))


def test_the_declarations_are_those_of_the_families():
    assert declared.FILE.read_text(encoding="utf-8") == schemas.declarations(), (
        "write them again: .venv/bin/python -m spindlemark.cli.schemas"
    )


def test_one_name_of_a_metric_has_one_kind():
    kinds = {}
    for family in declared.families().values():
        for name, metric in family.metrics.items():
            kinds.setdefault(name, set()).add(metric.kind)
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}


def test_the_time_of_a_rate_is_a_time_of_the_same_family():
    for family in declared.families().values():
        named = [metric.timed_by for metric in family.metrics.values() if metric.timed_by]
        assert [name for name in named if family.metrics[name].kind != "time"] == []
