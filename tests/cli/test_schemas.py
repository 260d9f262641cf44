"""The committed schemas are those of the models."""

import json

import factory
from spindlemark.cli import schemas
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
