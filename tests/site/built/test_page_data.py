"""The data of every page of built versions fit the committed schemas, as another program reads them."""

import gzip
import json
from pathlib import Path

import jsonschema
import pytest

from spindlemark.core.paths import SCHEMAS


def text_of(path):
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def files(pages: Path) -> list[tuple[str, Path]]:
    """Kind and file of all page data of a version."""
    own = [(path.stem, path) for path in [*pages.glob("data/*.json"), *pages.glob("parts/*/*.json")]]
    weights = [(kind, path) for kind in ("draws", "weighing") for path in pages.glob(f"static/**/{kind}.json.gz")]
    return own + weights + [("columns", path) for path in pages.glob("static/explore/*.json.gz")]


@pytest.mark.parametrize("version", ["current", "2026.11.1", "2026.11"])
def test_page_data_fit_their_schemas(version, made):
    found = files(made / version / "pages")
    assert {"home", "version", "experiments", "libraries", "shared", "columns"} <= {kind for kind, _ in found}
    for kind, path in found:
        schema = json.loads((SCHEMAS / f"page-{kind}.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(json.loads(text_of(path)))


def test_the_list_of_versions_fits_its_schema(site):
    schema = json.loads((SCHEMAS / "page-versions.schema.json").read_text())
    jsonschema.validate(json.loads((site / "versions.json").read_text()), schema)
