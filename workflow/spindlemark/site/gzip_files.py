"""Files compressed with gzip, which browsers unpack; the same content gives the same bytes."""

import gzip
from pathlib import Path


def write(target: Path, content: bytes) -> None:
    """Write `content` compressed, and the folder if it is missing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(content, mtime=0))


def read(source: Path) -> bytes:
    """Return the content of a file; raises OSError, EOFError or zlib.error for any other file."""
    return gzip.decompress(source.read_bytes())
