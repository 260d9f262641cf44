"""Compound files by pyaaf2's own reader and writer, without what AAF puts into them."""

from collections.abc import Iterator
from pathlib import Path

from aaf2.cfb import CompoundFileBinary, DirEntry

from spindlemark.families.aaf_scale import program_protocol
from spindlemark.families.aaf_scale.trees import Entry


def write(entries: list[Entry], target: Path, sector: int) -> None:
    """Make the file."""
    with target.open("wb+") as file:
        compound = CompoundFileBinary(file, "wb+", sector_size=sector)
        for path, content in entries:
            if content is None:
                compound.makedir(f"/{path}")
            else:
                stream = compound.open(f"/{path}", "w")
                stream.write(content)
                stream.close()
        compound.close()


def read(source: Path) -> Iterator[Entry]:
    """Every entry of the file."""
    with source.open("rb") as file:
        compound = CompoundFileBinary(file, "rb")
        yield from _within(compound, compound.root, "")


def _within(compound: CompoundFileBinary, storage: DirEntry, path: str) -> Iterator[Entry]:
    for item in compound.listdir(storage):
        own = f"{path}{item.name}"
        if item.isdir():
            yield Entry(own, None)
            yield from _within(compound, item, f"{own}/")
        else:
            yield Entry(own, bytes(item.open("r").read()))


if __name__ == "__main__":
    program_protocol.main(write, read)
