"""Reading a declaration from YAML, with errors that name file and key."""

import difflib
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from spindlemark.declare.testbeds import Testbed
from spindlemark.errors import UserError

Declared = TypeVar("Declared")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml reads ten times as fast, in every job


def choose(entries: dict[str, Declared], name: str, kind: str, where: str) -> Declared:
    """The entry called `name`, or a UserError that lists the ones there are."""
    if name in entries:
        return entries[name]
    near = difflib.get_close_matches(name, entries, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(entries))}"
    raise UserError(f"{where}: no {kind} is called {name!r}", hint)


def read_yaml(path: Path, model: Any) -> Any:
    """Read one YAML file as `model` (a pydantic model or a typed dict); raises UserError."""
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file", "restore it with: git checkout -- config") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: is not YAML: {error}", "mend the line that is named") from None
    try:
        return _adapter(model).validate_python({} if content is None else content)
    except ValidationError as error:
        raise _explained(path, error, model) from None


@cache
def _adapter(model: Any) -> TypeAdapter:
    return TypeAdapter(model)


def _explained(path: Path, error: ValidationError, model: Any) -> UserError:
    # A misspelt key is also a missing one: the misspelling is what to tell.
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    # Of a union the kind comes first, which is no key of the file.
    loc = first["loc"][1:] if model is Testbed else first["loc"]
    key = ".".join(map(str, loc)) or "the file"
    if first["type"] == "missing":
        return UserError(f"{path}: {key}: is missing", f"add the key; restore the file with: git checkout -- {path.name}")
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(first["loc"][-1]), _known_keys(model), n=1)
        return UserError(f"{path}: unknown key {key}", f"did you mean {near[0]}?" if near else "remove it")
    return UserError(f"{path}: {key}: {first['msg']}", f"it is now {first['input']!r}: change the value")


def _known_keys(model: Any) -> set[str]:
    schema = _adapter(model).json_schema()
    nested = schema.get("$defs", {}).values()
    return {key for part in (schema, *nested) for key in part.get("properties", {})}
