"""What the programs in Python say and understand: the words of the command line, and their one line of JSON."""

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn

from spindlemark.families.aaf_scale import trees
from spindlemark.families.aaf_scale.trees import Entry
from spindlemark.families.shared.program_report import report

Write = Callable[[list[Entry], Path, int], None]
Read = Callable[[Path], Iterable[Entry]]


def main(write: Write | None, read: Read) -> NoReturn:
    """Run the command line; what the library raises for a file is reported in one line."""
    words = sys.argv[1:]
    try:
        if write and len(words) == 4 and words[0] == "write":
            _write(write, *words[1:])
        elif len(words) in (2, 3) and words[0] == "read":
            _read(read, *words[1:])
        else:
            sys.exit("usage: write TREE FILE SECTOR | read FILE [TREE]")
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
    sys.exit(0)


def _write(write: Write, tree: str, target: str, sector: str) -> None:
    with Path(tree).open("rb") as file:
        found = list(trees.entries(file, tree))
    begun = time.perf_counter()
    write(found, Path(target), int(sector))
    report(
        time.perf_counter() - begun,
        streams=sum(entry.content is not None for entry in found),
        bytes=sum(len(entry.content or b"") for entry in found),
    )


def _read(read: Read, source: str, tree: str | None = None) -> None:
    streams = size = 0
    begun = time.perf_counter()
    with Path(tree or "/dev/null").open("wb") as file:
        for entry in read(Path(source)):
            streams, size = streams + (entry.content is not None), size + len(entry.content or b"")
            if tree:
                trees.write(file, entry)
    report(time.perf_counter() - begun, streams=streams, bytes=size)
