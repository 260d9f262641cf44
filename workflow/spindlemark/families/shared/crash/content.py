"""Content and paths of the files that are written before the crash. Needs only Python, since programs of their own use it.

Each MiB of a file begins with the numbers of the file and of the MiB, so a block of another file or place is found.
"""

import random
import struct
from collections.abc import Iterator

PIECE = 1 << 20
_HEAD = struct.Struct("<QQ")


def block(seed: int) -> bytes:
    """One piece of random bytes, which no filesystem can shrink."""
    return random.Random(seed).randbytes(PIECE)


def pieces(block: bytes, file: int, size: int) -> Iterator[bytes]:
    """Yield the content of a file of `size` bytes."""
    for number, at in enumerate(range(0, size, PIECE)):
        yield (_HEAD.pack(file, number) + block[_HEAD.size :])[: size - at]


def path(file: int) -> str:
    """The path of a file below the folder: a hundred files in each folder."""
    return f"{file // 100:04}/{file:06}"
