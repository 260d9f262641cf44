"""Packs of raw records: all of one experiment in one compressed file, with the hash of its content as its name.

Versions share the packs at the root of the site: most records of a release are in other releases too.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from spindlemark.release import manifest
from spindlemark.site import gzip_files
from spindlemark.site.query import Row
from spindlemark.site.sources import Sources

FOLDER = "records"  # of a site; of a version until it is put with the others
KEPT = 8  # unpacked packs in memory


class Pack(NamedTuple):
    """Specification and records below one folder of `data/raw/`: a JSON object of file name -> text."""

    folder: str
    content: bytes

    @property
    def name(self) -> str:
        """SHA-256 of the content."""
        return hashlib.sha256(self.content).hexdigest()


class Packs:
    """The packs of a version, by the folder of the records."""

    def __init__(self, names: dict[str, str], static: Path) -> None:
        """`names`: folder -> name; `static` has the packs."""
        self._names, self._static = names, static
        self._files = lru_cache(KEPT)(self._unpacked)

    def name(self, row: Row) -> str:
        """Name of the pack that has the record of a row."""
        return self._names[_split(row["path"])[0]]

    def record(self, row: Row) -> dict[str, Any]:
        """The record of a row."""
        folder, file = _split(row["path"])
        return json.loads(self._files(folder)[file])

    def _unpacked(self, folder: str) -> dict[str, str]:
        return json.loads(gzip_files.read(self._static / place(self._names[folder])))


def place(name: str) -> str:
    """Address of a pack below the root of the site."""
    return f"{FOLDER}/{name[:2]}/{name}.json.gz"


def packed(files: Iterable[tuple[str, bytes]]) -> Iterator[Pack]:
    """Yield the packs of records, which come sorted by path as path and bytes; the text of a record stays as it is."""
    for folder, members in groupby(files, key=lambda file: _split(file[0])[0]):
        texts = {_split(path)[1]: content.decode("utf-8") for path, content in members}
        yield Pack(folder, json.dumps(texts, ensure_ascii=False, sort_keys=True).encode())


def write(found: Sequence[Row], sources: Sources, static: Path) -> Packs:
    """Write the packs of the records behind these rows below `static`."""
    wanted = {folder for folder, _ in map(_split, (row["path"] for row in found))}
    names = {}
    for pack in packed(_files(found, sources)):
        if pack.folder in wanted:
            names[pack.folder] = pack.name
            gzip_files.write(static / place(pack.name), pack.content)
    return Packs(names, static)


def _files(found: Sequence[Row], sources: Sources) -> Iterator[tuple[str, bytes]]:
    """All records of a release, or those that were read of the unreleased ones, with their specifications."""
    if sources.frozen:
        yield from manifest.records(sources.frozen)
        return
    paths = {row["path"] for row in found}
    paths |= {f"{_split(path)[0]}/spec.json" for path in paths}
    for path in sorted(paths, key=_split):
        yield path, (sources.raw / path).read_bytes()


def _split(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name
