"""What an asset is made of: blocks of 4 KiB that carry the numbers of their asset and of themselves, and random bytes.

So a client that receives any block knows whether it is the right one. Needs the standard library alone.
"""

import struct

BLOCK = 4096
_HEAD = struct.Struct("<8sII")  # a mark, the asset, the block
_MARK = b"spindle\0"
HEAD = _HEAD.size


def marked(asset: int, first: int, pool: bytearray) -> bytearray:
    """The random bytes of `pool`, whole blocks, with the heads of `film`'s blocks from `first` written into it in place."""
    for number in range(len(pool) // BLOCK):
        _HEAD.pack_into(pool, number * BLOCK, _MARK, asset, first + number)
    return pool


def right(asset: int, number: int, data: memoryview) -> bool:
    """Whether `data` begins with the head of that block of that asset."""
    return _HEAD.unpack_from(data) == (_MARK, asset, number)
