"""DPX files (SMPTE ST 268): a head of 2048 bytes and the samples of red, green and blue, row by row, big endian.

Samples of 8 bits are stored in bytes, others in words of 16 bits, as scanners and renderers do that keep 12 bits.
"""

import struct

import numpy as np

from spindlemark.families.frame_storage.sequence import Sequence

HEAD = 2048
RGB, LINEAR = 50, 2  # descriptor of the samples, and their transfer characteristic
_GENERIC, _INDUSTRY = 1664, 384
_UNDEFINED = b"\xff\xff\xff\xff"


def head(sequence: Sequence) -> bytes:
    """The head of each file of a sequence; all are the same."""
    bits = 8 * sequence.dtype.itemsize
    found = bytearray(HEAD)
    size = HEAD + sequence.frame_bytes
    struct.pack_into(">4sI8s5I", found, 0, b"SDPX", HEAD, b"V2.0", size, 1, _GENERIC, _INDUSTRY, 0)
    struct.pack_into(">I", found, 660, 0xFFFFFFFF)  # not encrypted
    struct.pack_into(">HHII", found, 768, 0, 1, sequence.width, sequence.height)  # top to bottom, one element
    most = (1 << bits) - 1
    struct.pack_into(
        ">IIfIfBBBBHHIII", found, 780, 0, 0, 0.0, most, 0.0, RGB, LINEAR, LINEAR, bits, 0, 0, HEAD, 0xFFFFFFFF, 0
    )
    return bytes(found)


def samples(frame: np.ndarray) -> bytes:
    """The samples of a frame as they are in the file."""
    return frame.astype(frame.dtype.newbyteorder(">"), copy=False).tobytes()


def read(content: memoryview | bytes, sequence: Sequence, into: np.ndarray) -> None:
    """Read a file's content; raises ValueError where it is not a file of this sequence."""
    if len(content) != HEAD + sequence.frame_bytes:
        raise ValueError(f"a DPX file has {len(content)} bytes, not {HEAD + sequence.frame_bytes}")
    if bytes(content[:HEAD]) != head(sequence):
        raise ValueError("the head of a DPX file is not that of its sequence")
    order = sequence.dtype.newbyteorder(">")
    into[:] = np.frombuffer(content, order, offset=HEAD).reshape(sequence.shape)
