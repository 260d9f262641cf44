"""The formats of all kinds of file, and how a file of an earlier one is read."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

Kind = Literal["record", "spec", "plan", "findings", "joined", "manifest"]
Content = dict[str, Any]
Upgrade = Callable[[Content], Content]
Model = TypeVar("Model", bound=BaseModel)

RECORD_FORMAT = 2
FINDINGS_FORMAT = 3
PLAN_FORMAT = 4
JOINED_FORMAT = 2
MANIFEST_FORMAT = 2
FORMATS: Mapping[Kind, tuple[str, int]] = {  # kind of file -> its key, and the newest format
    "record": ("record_format", RECORD_FORMAT),
    "spec": ("record_format", RECORD_FORMAT),
    "plan": ("plan_format", PLAN_FORMAT),
    "findings": ("findings_format", FINDINGS_FORMAT),
    "joined": ("joined_format", JOINED_FORMAT),
    "manifest": ("manifest_format", MANIFEST_FORMAT),
}
_STEPS: dict[tuple[Kind, int], list[Upgrade]] = {}


def step(kind: Kind, number: int) -> Callable[[Upgrade], Upgrade]:
    """Register a function that takes the content of a file of `kind` from format `number` to `number + 1`.

    Its docstring names the releases that wrote format `number`. Those of one step are in one module, and run in its order.
    """

    def register(upgrade: Upgrade) -> Upgrade:
        _STEPS.setdefault((kind, number), []).append(upgrade)
        return upgrade

    return register


def to_newest(kind: Kind, text: bytes) -> bytes | None:
    """The text of a file in the newest format; None if it has that format already, or an unknown one.

    Raises ValueError if the content does not match its format.
    """
    key, newest = FORMATS[kind]
    content = json.loads(text)
    number = content.get(key) if isinstance(content, dict) else None
    if not isinstance(number, int) or number >= newest or (kind, number) not in _STEPS:
        return None
    try:
        for before in range(number, newest):
            for upgrade in _STEPS[kind, before]:
                content = upgrade(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"does not match format {number}: {error}") from None
    return json.dumps(content | {key: newest}, ensure_ascii=False).encode()


def read(model: type[Model], kind: Kind, text: bytes) -> tuple[Model, bytes]:
    """A file of any format as `model`, and its text in the newest format.

    Raises ValidationError for content that does not fit, ValueError for text that is not JSON or not of its format.
    """
    try:
        return model.model_validate_json(text), text  # the newest format is never held as objects of Python
    except ValidationError as error:
        if error.errors(include_url=False, include_context=False)[0]["type"] == "json_invalid":
            raise
        newest = to_newest(kind, text)
        if newest is None:
            raise
    return model.model_validate_json(newest), newest


def rename(content: Content, keys: Mapping[str, str]) -> None:
    """Rename those of the keys that there are, in their order."""
    for old, new in keys.items():
        if old in content:
            content[new] = content.pop(old)
