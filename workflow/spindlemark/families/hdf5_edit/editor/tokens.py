"""The words of a command file, each with its line and column."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from spindlemark.core.errors import UserError

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
  | (?P<text>"(?:[^"\\\n]|\\["\\nt])*")
  | (?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf\b|nan\b))
  | (?P<path>/[^\s{};"]*)
  | (?P<word>[A-Za-z_][A-Za-z0-9_.-]*)
  | (?P<mark>[{}()\[\],;])
""",
    re.VERBOSE,
)
_ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\t": "\t"}
_SHOWN = 20


class Token(NamedTuple):
    """`kind` is text, number, path, word, mark or end; `text` is without quotes. Lines and columns count from 1."""

    kind: str
    text: str
    line: int
    column: int


def tokens(content: str, name: str) -> Iterator[Token]:
    """The tokens of `content`, one of kind `end` last; `#` begins a comment. Raises UserError with line and column."""
    at, line, begun = 0, 1, 0
    while at < len(content):
        match = _TOKEN.match(content, at)
        if match is None:
            raise wrong(
                name,
                Token("", content[at : at + _SHOWN].splitlines()[0], line, at - begun + 1),
                "cannot be read",
                "texts are in double quotes, attributes are named as /group/name",
            )
        found = match[0]
        if match.lastgroup != "space":
            text = (
                re.sub(r"\\.", lambda escape: _ESCAPES[escape[0]], found[1:-1]) if match.lastgroup == "text" else found
            )
            yield Token(match.lastgroup or "", text, line, at - begun + 1)
        if "\n" in found:
            line, begun = line + found.count("\n"), at + found.rindex("\n") + 1
        at = match.end()
    yield Token("end", "the end of the file", line, at - begun + 1)


def wrong(name: str, token: Token, problem: str, remedy: str) -> UserError:
    """The error that a token of the file `name` makes."""
    shown = token.text if len(token.text) <= _SHOWN else f"{token.text[:_SHOWN]}..."
    return UserError(f"{name}: line {token.line}, column {token.column}: {shown!r} {problem}", remedy)
