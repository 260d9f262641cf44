"""Valid names, texts, folders and sizes, and messages for invalid values."""

import itertools
import re
import reprlib
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ByteSize, Field, StringConstraints, ValidationError

from spindlemark.core.one_line import cut

NAME = r"^[A-Za-z0-9][A-Za-z0-9._+@-]*$"
PLAIN = r"^[^\x00-\x1f\x7f-\x9f]*$"
MOST_BYTES = 1 << 60
MOST_SEED = (1 << 63) - 1
MOST_REPETITIONS = 1000
MOST_MINUTES = 365 * 24 * 60
MOST_SECONDS = 60 * MOST_MINUTES
LONGEST_SLUG = 200
# Of a record from another machine; the largest so far has 7618 values, 8 levels, 55 factors and a list of 30 in them.
MOST_VALUES, DEEPEST = 150_000, 12
MOST_FACTS, LONGEST_LIST = 500, 200  # values of its factors, and of its fingerprint; entries of a list in them

# A name becomes part of paths and of shell lines.
Name = Annotated[str, StringConstraints(pattern=NAME, max_length=64)]
Slug = Annotated[str, StringConstraints(pattern=NAME, max_length=LONGEST_SLUG)]
SpecPath = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9._+@-]{1,255}/)*spec\.json$", max_length=1000)]
Text = Annotated[str, StringConstraints(pattern=PLAIN, max_length=1000)]
Folder = Annotated[str, StringConstraints(pattern=PLAIN, min_length=1, max_length=4096)]
Size = Annotated[ByteSize, Field(ge=0, le=MOST_BYTES)]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS)]

_MEANING = {
    NAME: "is not a valid name: letters, digits and . _ + @ - are allowed, and it starts with a letter or a digit",
    PLAIN: "contains a control character",
}
# A text, or the rest from a quotation mark without an end, so that each character is read once.
_JSON_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


def shown(value: object) -> str:
    """`value` in Python's notation, shortened to fit a line."""
    return _SHORT.repr(value)


def shape(text: str) -> tuple[int, int]:
    """An upper bound of the number of values in a JSON text, and its levels of nesting, from punctuation alone.

    That is far cheaper than reading the text. The levels are 0 if there are more than MOST_VALUES.
    """
    bare = _JSON_TEXT.sub("", text)
    values = 1 + sum(map(bare.count, ",[{"))
    if values > MOST_VALUES:
        return values, 0
    steps = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(bare))
    return values, max(itertools.accumulate(steps), default=0)


def key_of(loc: tuple[int | str, ...]) -> str:
    """The keys that lead to a value, for example a.b.0.c."""
    return cut(".".join(map(str, loc))) or "the file"


def first_error(error: ValidationError) -> tuple[str, str]:
    """The key of the first error, and what is wrong with it."""
    first = error.errors(include_url=False)[0]
    return key_of(first["loc"]), message(first)


def message(error: Mapping[str, Any]) -> str:
    """The message of one entry of a ValidationError, without regular expressions."""
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return _MEANING.get(error.get("ctx", {}).get("pattern"), cut(error["msg"]))
