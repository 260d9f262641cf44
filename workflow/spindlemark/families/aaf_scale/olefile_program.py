"""Compound files by olefile, which reads them and writes none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import olefile

from spindlemark.families.aaf_scale import program_protocol
from spindlemark.families.aaf_scale.trees import Entry


def read(source: Path) -> Iterator[Entry]:
    """Every entry of the file, parents first."""
    with olefile.OleFileIO(str(source)) as compound:
        yield from _within(compound, compound.root, "")


def _within(compound: Any, storage: Any, path: str) -> Iterator[Entry]:
    """What is below a storage. By its entries: `openstream` searches all siblings for each, of which there are 64,000."""
    for item in sorted(storage.kids, key=lambda kid: kid.name):
        own = f"{path}{item.name}"
        if item.entry_type == olefile.STGTY_STREAM:
            yield Entry(own, compound._open(item.isectStart, item.size).read())
        else:
            yield Entry(own, None)
            yield from _within(compound, item, f"{own}/")


if __name__ == "__main__":
    program_protocol.main(None, read)
