"""Texts that share lines: a table of lines that several texts have, and each text as steps in this table and lines of its own.

Records of one family repeat most of their lines, too far apart for gzip: its window is 32 KB. With a table, packs take half.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

LEAST = 3  # texts with the same line
Encoded = list[int | str]  # a step from the line after the last one of the table, or lines that are not in it


def table(texts: Iterable[str]) -> list[str]:
    """The lines that at least LEAST texts have, in the order in which they first appear."""
    count = Counter(line for text in texts for line in dict.fromkeys(_lines(text)))
    return [line for line, texts_with_it in count.items() if texts_with_it >= LEAST]


def encode(text: str, places: dict[str, int]) -> Encoded:
    """The text as steps and own lines; `places` is the place of each line of the table. Consecutive lines are steps of 0."""
    encoded: Encoded = []
    following = 0
    for line in _lines(text):
        place = places.get(line)
        if place is not None:
            encoded.append(place - following)
            following = place + 1
        elif encoded and isinstance(encoded[-1], str):
            encoded[-1] += line
        else:
            encoded.append(line)
    return encoded


def decode(encoded: Iterable[int | str], lines: Sequence[str]) -> str:
    """The text again; raises IndexError for a table that is not that of the text. `assets/js/unpack.js` does the same."""
    found, following = [], 0
    for piece in encoded:
        if isinstance(piece, str):
            found.append(piece)
        else:
            found.append(lines[following + piece])
            following += piece + 1
    return "".join(found)


def _lines(text: str) -> list[str]:
    """The lines with their ends. Only a line feed ends one: `splitlines` also splits at characters inside of JSON strings."""
    *ended, last = text.split("\n")
    return [f"{line}\n" for line in ended] + [last] * bool(last)
