"""The commands of an edit, and the reader of a file of them.

    CREATE /group/dataset/name {H5T_STD_I32BE (1, 2, 3) DATA {11, 12, 21, 22, 31, 32}};
    CREATE /title {H5T_STRING {STRSIZE H5T_VARIABLE; CSET H5T_CSET_UTF8} DATA {"a text"}};
    CREATE /matrix {H5T_ARRAY {[2][2] H5T_IEEE_F32LE} DATA {1, 0, 0, 1}};
    MODIFY /name {DATA {1, 2, 3, 4, 5, 6}};    # keeps type and dimensions, which may be given too
    RENAME /name other;
    COPY /name /group/name;
    DELETE /other;

The last part of a path is the attribute, the part before it is the group or the dataset. A path or a name with blanks
is in quotes. Without dimensions an attribute is a scalar. Words of the language are in capitals or not.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from spindlemark.core import safe_read
from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import types
from spindlemark.families.hdf5_edit.editor.tokens import Token, tokens, wrong
from spindlemark.families.hdf5_edit.editor.types import Plain

VERBS = CREATE, MODIFY, DELETE, RENAME, COPY = ("CREATE", "MODIFY", "DELETE", "RENAME", "COPY")
MOST_BYTES = 16 << 20
MOST_TEXT = (64 << 10) - 1  # what an object's header holds
MOST_ARRAY = (1 << 31) - 1  # HDF5 keeps the size of a type in 32 bits, and its tools read it as signed
_MOST_DIMENSIONS = 32  # H5S_MAX_RANK
_GRAMMAR = "see the commands in workflow/spindlemark/families/hdf5_edit/editor/commands.py"


class Attribute(NamedTuple):
    """The place of an attribute: its object by path, and its name."""

    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner.rstrip('/')}/{self.name}"


@dataclass(frozen=True)
class Data:
    """Values as they were typed; without `type` they are for the type and the dimensions that the attribute has."""

    values: list[tuple[str | int | float, Token]]
    type: Plain | None = None
    dimensions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Command:
    """One command; `where` gives its place in errors, `target` is of COPY, `name` of RENAME."""

    verb: str
    where: str
    attribute: Attribute
    data: Data | None = None
    target: Attribute | None = None
    name: str = ""


def read(path: Path) -> list[Command]:
    """The commands of a file; raises UserError naming the file, and line and column of the error."""
    try:
        content = safe_read.read(path, MOST_BYTES, f"name a file of commands of up to {MOST_BYTES} bytes").decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8", "write it as plain text") from None
    return parse(content, str(path))


def parse(content: str, name: str) -> list[Command]:
    """The commands in a text that errors call `name`; raises UserError with line and column."""
    reader = _Reader(content, name)
    found = []
    while reader.next.kind != "end":
        found.append(reader.command())
    if not found:
        raise UserError(f"{name}: there is no command in it", _GRAMMAR)
    return found


def fits(data: Data, type: Plain, dimensions: tuple[int, ...], name: str) -> None:
    """Raises UserError, at the value that is wrong, unless all values are of the type and as many as there are places."""
    needed = math.prod(dimensions) * math.prod(type.shape)
    last = data.values[-1][1] if data.values else None
    if len(data.values) != needed:
        where = f"line {last.line}, column {last.column}: " if last else ""
        raise UserError(f"{name}: {where}{len(data.values)} values for {needed} places", "give each place its value")
    for value, token in data.values:
        if why := type.rejects(value):
            raise wrong(name, token, why, "change the value or the type")


class _Reader:
    """Recursive descent with one token ahead, in `next`."""

    def __init__(self, content: str, name: str) -> None:
        self.name, self._tokens = name, tokens(content, name)
        self.next = next(self._tokens)

    def command(self) -> Command:
        verb = self._word(*VERBS)
        where = f"{self.name}: line {verb.line}, column {verb.column}"
        attribute, kind = self._path(), verb.text.upper()
        data = target = None
        name = ""
        if kind in (CREATE, MODIFY):
            data = self._data(kind == MODIFY)
        elif kind == COPY:
            target = self._path()
        elif kind == RENAME:
            token = self._take("word", "text", what="a name")
            name = self._checked_name(token, token.text)
        self._mark(";")
        return Command(kind, where, attribute, data, target, name)

    def _data(self, may_keep: bool) -> Data:
        self._mark("{")
        keeps = may_keep and self.next.kind == "word" and self.next.text.upper() == "DATA"
        type_ = None if keeps else self._type()
        dimensions = () if keeps or self.next.text != "(" else self._dimensions()
        self._word("DATA")
        self._mark("{")
        values: list[tuple[str | int | float, Token]] = []
        while self.next.text != "}" or self.next.kind != "mark":
            if values:
                self._mark(",")
            token = self._take("number", "text", what="a value")
            if token.kind == "number" and _overflows(token.text):
                raise wrong(self.name, token, "is too large for 64 bits", "change the value, or write inf")
            values.append((token.text if token.kind == "text" else _number(token.text), token))
        self._mark("}")
        self._mark("}")
        data = Data(values, type_, dimensions)
        if type_:
            fits(data, type_, dimensions, self.name)
        return data

    def _type(self) -> Plain:
        token = self._take("word", what="a type")
        if token.text == "H5T_STRING":
            return self._string()
        if token.text == "H5T_ARRAY":
            return self._array(token)
        found = types.number(token.text)
        if found is None:
            raise wrong(self.name, token, "is not a plain type", f"use one of {types.NAMES}")
        return found

    def _string(self) -> Plain:
        """{STRSIZE n; STRPAD p; CSET c; CTYPE H5T_C_S1;}, as h5dump prints it; all but the size may be left out."""
        self._mark("{")
        self._word("STRSIZE")
        size = None
        if self.next.kind == "word":
            self._word("H5T_VARIABLE")
        else:
            size = self._whole(1, MOST_TEXT)
        given = {}
        allowed = {"STRPAD": tuple(types.PADS), "CSET": tuple(types.CHARACTERS), "CTYPE": ("H5T_C_S1",)}
        while self.next.text != "}":
            self._mark(";")
            if self.next.kind == "word":
                key = self._word(*allowed).text.upper()
                given[key] = self._word(*allowed[key]).text.upper()
        self._mark("}")
        return types.string(size, given.get("STRPAD", "H5T_STR_NULLTERM"), given.get("CSET", "H5T_CSET_ASCII"))

    def _array(self, token: Token) -> Plain:
        self._mark("{")
        shape = []
        while self.next.text == "[":
            self._mark("[")
            shape.append(self._whole(1))
            self._mark("]")
        base = None if self.next.text == "H5T_ARRAY" else self._type()
        if not 0 < len(shape) <= _MOST_DIMENSIONS or base is None or base.dtype.kind == "O":
            raise wrong(
                self.name,
                token,
                "is not an array of numbers or of strings of a fixed size",
                "write it as H5T_ARRAY {[2][3] H5T_STD_I32LE}",
            )
        if math.prod(shape) * base.dtype.itemsize > MOST_ARRAY:
            raise wrong(
                self.name, token, f"has elements of more than {MOST_ARRAY} bytes", "make its dimensions smaller"
            )
        self._mark("}")
        return types.array(base, tuple(shape))

    def _dimensions(self) -> tuple[int, ...]:
        first = self._mark("(")
        found = [self._whole(0)]
        while self.next.text == ",":
            self._mark(",")
            found.append(self._whole(0))
        self._mark(")")
        if len(found) > _MOST_DIMENSIONS:
            raise wrong(self.name, first, f"begins {len(found)} dimensions", f"HDF5 has up to {_MOST_DIMENSIONS}")
        return tuple(found)

    def _whole(self, least: int, most: int = (1 << 31) - 1) -> int:
        token = self._take("number", what="a whole number")
        value = _number(token.text)
        if not isinstance(value, int) or not least <= value <= most:
            raise wrong(self.name, token, f"is not a whole number from {least} to {most}", _GRAMMAR)
        return value

    def _path(self) -> Attribute:
        token = self._take("path", "text", what="a path, as /group/name")
        owner, slash, name = token.text.rpartition("/")
        if not slash or (owner and not owner.startswith("/")):
            raise wrong(self.name, token, "is not a path", "it begins with / and ends with the attribute's name")
        return Attribute(owner or "/", self._checked_name(token, name))

    def _checked_name(self, token: Token, name: str) -> str:
        if not name or "\0" in token.text or "/" in name:
            raise wrong(self.name, token, "names no attribute", "a name is not empty and holds no /")
        return name

    def _word(self, *allowed: str) -> Token:
        if self.next.kind != "word" or self.next.text.upper() not in allowed:
            raise wrong(self.name, self.next, f"is written where {' or '.join(allowed)} is expected", _GRAMMAR)
        return self._take("word", what="a word")

    def _mark(self, mark: str) -> Token:
        if (self.next.kind, self.next.text) != ("mark", mark):
            raise wrong(self.name, self.next, f"is written where {mark} is expected", _GRAMMAR)
        return self._take("mark", what=mark)

    def _take(self, *kinds: str, what: str) -> Token:
        token = self.next
        if token.kind not in kinds:
            raise wrong(self.name, token, f"is written where {what} is expected", _GRAMMAR)
        self.next = next(self._tokens)
        return token


def _number(text: str) -> int | float:
    if "x" in text.lower():
        return int(text, 16)
    try:
        return int(text)
    except ValueError:
        return float(text)


def _overflows(text: str) -> bool:
    """Whether a number that was typed in digits is beyond all floating-point ones, and would silently be infinity."""
    return "x" not in text.lower() and "inf" not in text.lower() and math.isinf(float(text))
