"""The mark in the picture: a counter, a clock and a checksum, drawn so coarsely that every codec leaves them readable.

112 bits in cells of 16 x 16 samples of luma, the first half above the second, in the upper left corner: 32 bits that
count frames, 48 of the microseconds of CLOCK_MONOTONIC, and a CRC-32 of both. A codec that breaks the mark has lost the
frame for its watcher: an unreadable mark is counted, and never guessed.
"""

import struct
import zlib
from typing import NamedTuple

import numpy as np

CELL = 16
COLUMNS, ROWS = 56, 2
DARK, BRIGHT = 48, 200
WIDTH, HEIGHT = COLUMNS * CELL, ROWS * CELL
_CLOCK_BYTES = 6
_CORE = slice(CELL // 4, 3 * CELL // 4)  # of a cell: its edges are where codecs ring


class Mark(NamedTuple):
    """What a frame says of itself: its number, and when it was captured, in microseconds of CLOCK_MONOTONIC."""

    number: int
    captured: int


def burn(luma: np.ndarray, number: int, captured: int) -> None:
    """Draw the mark into a plane of luma, 8 bits a sample, or 10 where the samples are wider."""
    body = struct.pack(">I", number) + captured.to_bytes(_CLOCK_BYTES, "big")
    bits = np.unpackbits(np.frombuffer(body + struct.pack(">I", zlib.crc32(body)), np.uint8)).reshape(ROWS, COLUMNS)
    drawn = np.where(bits, BRIGHT, DARK).astype(luma.dtype) << _extra_bits(luma)
    luma[:HEIGHT, :WIDTH] = drawn.repeat(CELL, axis=0).repeat(CELL, axis=1)


def read(luma: np.ndarray) -> Mark | None:
    """What the mark in a decoded plane of luma says; None where its checksum does not hold."""
    cells = luma[:HEIGHT, :WIDTH].reshape(ROWS, CELL, COLUMNS, CELL)[:, _CORE, :, _CORE]
    bright = cells.mean(axis=(1, 3)) > ((DARK + BRIGHT) // 2 << _extra_bits(luma))
    data = np.packbits(bright.ravel()).tobytes()
    body, check = data[:-4], data[-4:]
    if struct.pack(">I", zlib.crc32(body)) != check:
        return None
    return Mark(int.from_bytes(body[:4], "big"), int.from_bytes(body[4:], "big"))


def _extra_bits(luma: np.ndarray) -> int:
    return 0 if luma.dtype == np.uint8 else 2
