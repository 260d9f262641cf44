"""Packs of raw records: all of one experiment in one compressed file, with the hash of its content as its name.

Versions share the packs at the root of the site: most records of a release are in other releases too. A pack is a JSON object
with `files`, whose texts are encoded (see `shared_lines`), and `table`, the name of the table with their lines.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from spindlemark.release import manifest
from spindlemark.site import gzip_files, shared_lines
from spindlemark.site.query import Row
from spindlemark.site.sources import Sources

FOLDER = "records"  # of a site; of a version until it is put with the others
TABLES = f"{FOLDER}/tables"
KEPT = 8  # unpacked packs in memory


class Pack(NamedTuple):
    """Specification and records below one folder of `data/raw/`, as file name -> text."""

    folder: str
    files: dict[str, str]

    @property
    def name(self) -> str:
        """See name_of."""
        return name_of(self.files)


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
        return read(self._static, self._names[folder])


def name_of(files: dict[str, str]) -> str:
    """The name of a pack with these files: SHA-256 of them as a JSON object."""
    return hashlib.sha256(json.dumps(files, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def place(name: str) -> str:
    """Address of a pack below the root of the site."""
    return f"{FOLDER}/{name[:2]}/{name}.json.gz"


def packed(files: Iterable[tuple[str, bytes]]) -> Iterator[Pack]:
    """Yield the packs of records, which come sorted by path as path and bytes; the text of a record stays as it is."""
    for folder, members in groupby(files, key=lambda file: _split(file[0])[0]):
        yield Pack(folder, {_split(path)[1]: content.decode("utf-8") for path, content in members})


def write(found: Sequence[Row], sources: Sources, static: Path) -> Packs:
    """Write the packs of the records behind these rows below `static`, with a table for each family and testbed."""
    wanted = {folder for folder, _ in map(_split, (row["path"] for row in found))}
    packs = (pack for pack in packed(_files(found, sources)) if pack.folder in wanted)
    names: dict[str, str] = {}
    for _, together in groupby(packs, key=lambda pack: pack.folder.rsplit("/", 2)[0]):
        names |= write_together(list(together), static)
    return Packs(names, static)


def write_together(packs: Sequence[Pack], static: Path) -> dict[str, str]:
    """Write packs with one table below `static`; return their names by folder."""
    table = shared_lines.table("".join(pack.files.values()) for pack in packs)
    places = {line: place for place, line in enumerate(table)}
    content = _json(table)
    of_table = hashlib.sha256(content).hexdigest()[:32]
    gzip_files.write(static / _table_place(of_table), content)
    names = {}
    for pack in packs:
        names[pack.folder] = name = pack.name
        files = {file: shared_lines.encode(text, places) for file, text in sorted(pack.files.items())}
        gzip_files.write(static / place(name), _json({"table": of_table, "files": files}))
    return names


def read(site: Path, name: str) -> dict[str, str]:
    """The files of a pack below `site`; raises OSError or ValueError for a missing or damaged pack or table."""
    try:
        pack = json.loads(gzip_files.read(site / place(name)))
        table = json.loads(gzip_files.read(site / _table_place(pack["table"])))
        return {file: shared_lines.decode(encoded, table) for file, encoded in pack["files"].items()}
    except (EOFError, zlib.error, LookupError, AttributeError, TypeError) as error:
        raise ValueError(f"{site / place(name)}: is not a pack of records: {error}") from error


def _table_place(name: str) -> str:
    return f"{TABLES}/{name}.json.gz"


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


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
