"""The files that are damaged: their paths and their content, from a seed. Needs only Python, since programs use it.

Each block of 4096 bytes is random, so it occurs once: a block of a disk that equals a block of a file is a copy of it.
"""

import random
from collections.abc import Iterator
from pathlib import Path

BLOCK = 4096
SIZES = (4096, 8192, 16384, 65536)  # of the files, in turn: small ones for much metadata, and no inline data
_PER_FOLDER = 40


def path(file: int) -> str:
    """The path of a file below the library."""
    return f"folder-{file // _PER_FOLDER:04}/recording-with-a-long-name-{file:06}.mov"


def content(file: int, seed: int) -> bytes:
    """All bytes of a file."""
    return random.Random(f"{seed} {file}").randbytes(SIZES[file % len(SIZES)])


def blocks(file: int, seed: int) -> Iterator[bytes]:
    """Yield the blocks of a file."""
    data = content(file, seed)
    for at in range(0, len(data), BLOCK):
        yield data[at : at + BLOCK]


def write(folder: Path, files: int, seed: int) -> None:
    """Write all files."""
    for file in range(files):
        target = folder / path(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content(file, seed))
