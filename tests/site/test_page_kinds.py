"""Page data have typed models: each kind has a schema, a wrong key is refused by name, layouts read known keys only."""

import importlib
import pkgutil
import re

import pytest
from pydantic import BaseModel

from spindlemark.core.paths import ROOT, SCHEMAS
from spindlemark.site import models, page_parts
from spindlemark.site.models import kinds

COMMENT, ACTION, DICT = re.compile(r"/\*.*?\*/", re.S), re.compile(r"\{\{.*?\}\}", re.S), re.compile(r"\bdict\b[^)]*")
NOT_DATA = {"integrity", "lede"}  # of an asset, and of the front matter
ROW = {"label": "Speed", "value": "1", "text": "measured"}
MATRIX = {"down": "File", "across": "Edit", "columns": ["a"], "rows": [{"heading": "b", "marks": []}]}
ENTRY = {
    "path": "library/picture/",
    "group": "loop--picture",
    "title": "Pictures",
    "headline": "",
    "family": "filesystem_lifecycle",
    "library": "picture",
    "testbed": {"name": "loop", "title": "disk", "emulated": False, "virtual": False, "kernel": "6.12", "mark": ""},
    "workload": "Pictures",
    "session": "",
    "tasks": None,
    "pictures": [{"name": "m", "anchor": "m", "title": "M", "says": "", "matrix": MATRIX}],
    "lead": 0,
}


def templates() -> str:
    """All actions of the layouts and content adapters, without comments."""
    found = [*(ROOT / "site/layouts").rglob("*.html"), *(ROOT / "site/content").rglob("*.gotmpl")]
    return "\n".join(action for path in found for action in ACTION.findall(COMMENT.sub("", path.read_text())))


def keys() -> set[str]:
    """All keys of the models."""
    modules = [
        importlib.import_module(f"{models.__name__}.{found.name}") for found in pkgutil.iter_modules(models.__path__)
    ]
    classes = [
        c for module in modules for c in vars(module).values() if isinstance(c, type) and issubclass(c, BaseModel)
    ]
    return {field.alias or name for c in classes for name, field in c.model_fields.items()}


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_each_kind_has_a_schema(kind):
    assert (SCHEMAS / f"page-{kind}.schema.json").exists()


def test_all_data_that_layouts_read_have_a_kind():
    assert set(re.findall(r"hugo\.Data\.(\w+)", templates())) <= kinds.KINDS.keys()


def test_layouts_read_only_keys_of_the_models():
    text = templates()
    passed = set(re.findall(r'"(\w+)"', " ".join(DICT.findall(text))))
    read = set(re.findall(r"\.([a-z]\w*)\b", re.sub(r'"[^"]*"', "", text)))
    assert read - keys() - passed - kinds.KINDS.keys() == NOT_DATA


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"titel": "Pictures"}, r"0\.titel: Extra inputs"),
        ({"title": 7}, r"0\.title: Input should be a valid string"),
        ({"testbed": {"name": "loop", "title": "disk"}}, r"0\.testbed\.emulated: Field required"),
        ({"lead": 0.5}, r"0\.lead: Input should be a valid integer"),
        ({"pictures": [ENTRY["pictures"][0] | {"note": ""}]}, r"0\.pictures\.0\.Matrix\.note: Extra inputs"),
    ],
)
def test_a_wrong_key_is_refused_with_page_and_key(change, wrong):
    page_parts.checked("groups", [ENTRY])
    with pytest.raises(ValueError, match=rf"'groups', page library/picture/: {wrong}"):
        page_parts.checked("groups", [ENTRY | change])


def test_a_missing_key_is_refused_with_page_and_key():
    with pytest.raises(ValueError, match=r"'groups', page library/picture/: 1\.session: Field required"):
        page_parts.checked("groups", [ENTRY, {key: ENTRY[key] for key in ENTRY if key != "session"}])


def test_data_of_no_single_page_are_named_by_their_kind():
    page_parts.checked("truth", [{"section": "Speed", "rows": [ROW]}])
    with pytest.raises(ValueError, match=r"page data 'truth': 0\.rows\.0\.label: Field required"):
        page_parts.checked("truth", [{"section": "Speed", "rows": [{"value": "1", "text": ""}]}])


def test_a_wrong_page_of_many_is_not_written(tmp_path):
    wrong = r"'libraries', page library/a/: 0\.group: Field required"
    with pytest.raises(ValueError, match=wrong), page_parts.Parts(tmp_path, "libraries") as pages:
        pages.add({"path": "library/a/", "title": "A"}, {})
    assert list(tmp_path.iterdir()) == []
