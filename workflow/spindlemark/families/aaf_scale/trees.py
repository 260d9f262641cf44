"""Trees: what a compound file holds, written down as `containers/__init__.py` says, and how two of them differ."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from spindlemark.core.errors import UserError

REMEDY = "each repetition makes it: run it again"


class Entry(NamedTuple):
    """A storage (`content` None) or a stream."""

    path: str
    content: bytes | None


class Tree(NamedTuple):
    """Paths of storages, and of each stream its bytes and SHA-256."""

    storages: frozenset[str]
    streams: dict[str, tuple[int, str]]

    @property
    def bytes(self) -> int:
        """Of all streams."""
        return sum(size for size, _ in self.streams.values())


def entries(file: BinaryIO, name: str) -> Iterator[Entry]:
    """The entries of a written tree; raises UserError where it is damaged."""
    while line := file.readline():
        try:
            kind, rest = line.decode().removesuffix("\n").split(" ", 1)
            if kind == "D":
                yield Entry(rest, None)
                continue
            size, path = rest.split(" ", 1)
            content = file.read(int(size))
        except ValueError:
            raise UserError(f"{name}: no entry of a tree: {line[:80]!r}", REMEDY) from None
        if kind != "S" or len(content) != int(size):
            raise UserError(f"{name}: it ends within {path}, or is not a tree", REMEDY)
        yield Entry(path, content)


def write(file: BinaryIO, entry: Entry) -> None:
    """Append an entry."""
    if entry.content is None:
        file.write(f"D {entry.path}\n".encode())
    else:
        file.write(f"S {len(entry.content)} {entry.path}\n".encode())
        file.write(entry.content)


def read(path: Path) -> Tree:
    """A written tree; raises UserError where it is damaged."""
    storages, streams = set(), {}
    with path.open("rb") as file:
        for entry in entries(file, path.name):
            if entry.content is None:
                storages.add(entry.path)
            else:
                streams[entry.path] = (len(entry.content), hashlib.sha256(entry.content).hexdigest())
    return Tree(frozenset(storages), streams)


def kept(written: Tree, found: Tree) -> float:
    """Share of storages and streams that came back with name, size and content; 0 where there are others too."""
    if found.storages - written.storages or found.streams.keys() - written.streams.keys():
        return 0.0
    same = len(found.storages) + sum(found.streams[path] == written.streams[path] for path in found.streams)
    return same / (len(written.storages) + len(written.streams))
