"""Compound files by olefile, which reads them and writes none."""

from collections.abc import Iterator
from pathlib import Path

import olefile

from spindlemark.families.aaf_scale import program_protocol
from spindlemark.families.aaf_scale.trees import Entry


def read(source: Path) -> Iterator[Entry]:
    """Every entry of the file, parents first."""
    with olefile.OleFileIO(str(source)) as compound:
        for parts in sorted(compound.listdir(streams=True, storages=True)):
            is_stream = compound.get_type(parts) == olefile.STGTY_STREAM
            yield Entry("/".join(parts), compound.openstream(parts).read() if is_stream else None)


if __name__ == "__main__":
    program_protocol.main(None, read)
