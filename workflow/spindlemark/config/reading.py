"""Reading declarations from YAML, with errors that name file and key."""

import difflib
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from spindlemark.config.loader import Loader
from spindlemark.config.testbeds import Testbed
from spindlemark.core import safe_read
from spindlemark.core.errors import UserError
from spindlemark.core.limits import Name, key_of, message, shown
from spindlemark.core.one_line import cut

Declared = TypeVar("Declared")
MOST_BYTES = 1 << 20
RESTORE = "restore the committed one with: git checkout -- {}"
FIX = f"correct it, or {RESTORE}"


def choose(entries: Mapping[str, Declared], name: str, kind: str, where: str) -> Declared:
    """The entry called `name`; raises UserError with a suggestion or the list of names."""
    if name in entries:
        return entries[name]
    near = difflib.get_close_matches(name, entries, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known names: {', '.join(sorted(entries))}"
    raise UserError(f"{where}: no {kind} is called {shown(name)}", hint)


def read_yaml(path: Path, model: Any) -> Any:
    """Read one YAML file as `model` (a pydantic model or a typed dict); raises UserError."""
    content = _content(path)
    try:
        return _adapter(model).validate_python({} if content is None else content)
    except ValidationError as error:
        raise _explain(path, error, model) from None


def read_folder(folder: Path, model: Any) -> dict[Name, Any]:
    """Name -> declaration, one per file; hidden files are ignored. Raises UserError as `read_yaml` does, and for a folder
    that is missing or unreadable.
    """
    try:
        found = sorted(name for name in os.listdir(folder) if name.endswith(".yaml") and not name.startswith("."))
    except OSError as error:
        raise UserError(
            f"{folder}: cannot be read: {error.strerror}", f"make it readable, or {RESTORE.format(folder)}"
        ) from None
    return {_name_of(folder / name): read_yaml(folder / name, model) for name in found}


def _name_of(path: Path) -> Name:
    try:
        return TypeAdapter(Name).validate_python(path.stem)
    except ValidationError as error:
        raise UserError(f"{path}: its name {message(error.errors()[0])}", "rename the file") from None


def _content(path: Path) -> Any:
    """The content of a YAML file as plain Python values."""
    text = safe_read.read(path, MOST_BYTES, FIX.format(path))
    try:
        return yaml.load(text.decode("utf-8-sig"), Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f"line {mark.line + 1}: " if mark else ""
        raise UserError(
            f"{path}: is not YAML in the allowed form: {line}{cut(error.problem or '')}", "correct that line"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: is not YAML: {' '.join(str(error).split())}", FIX.format(path)) from None


@cache
def _adapter(model: Any) -> TypeAdapter:
    return TypeAdapter(model)


def _explain(path: Path, error: ValidationError, model: Any) -> UserError:
    # A misspelt key is also a missing one: report the misspelling.
    first = min(error.errors(include_url=False), key=lambda e: e["type"] != "extra_forbidden")
    # The location of an error in a union starts with the kind, which is not a key of the file.
    key = key_of(first["loc"][1:] if model is Testbed else first["loc"])
    if first["type"] == "union_tag_not_found":
        first, key = first | {"type": "missing"}, first["ctx"]["discriminator"].strip("'")
    if first["type"] == "missing":
        return UserError(f"{path}: {key}: is missing", f"add the key, or {RESTORE.format(path)}")
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(first["loc"][-1]), _known_keys(model), n=1)
        return UserError(f"{path}: unknown key {key}", f"did you mean {near[0]}?" if near else "remove it")
    return UserError(f"{path}: {key}: {message(first)}", f"it is now {shown(first['input'])}: change the value")


def _known_keys(model: Any) -> set[str]:
    schema = _adapter(model).json_schema()
    nested = schema.get("$defs", {}).values()
    return {key for part in (schema, *nested) for key in part.get("properties", {})}
