"""Zstandard files: written whole, read up to a limit, so that a small file cannot fill the memory."""

from io import BytesIO
from pathlib import Path

import pyarrow as pa

from spindlemark.core import safe_read
from spindlemark.core.errors import UserError

SUFFIX = ".zst"
LEVEL = 12


def compress(content: bytes) -> bytes:
    """Return `content` as one Zstandard frame."""
    return pa.Codec("zstd", LEVEL).compress(content, asbytes=True)


def read(path: Path, most: int, remedy: str) -> bytes:
    """Return the content of a Zstandard file, at most `most` bytes; raises UserError with `remedy` for anything else."""
    packed = safe_read.read(path, most, remedy)
    try:
        with pa.CompressedInputStream(BytesIO(packed), "zstd") as stream:
            content = stream.read(most + 1)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: is not a Zstandard file: {error}", remedy) from None
    if len(content) > most:
        raise UserError(f"{path}: holds more than {most} bytes, the limit", remedy)
    return content
