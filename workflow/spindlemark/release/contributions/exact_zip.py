"""ZIP archives without room for anything but their entries: only the compressed streams are free.

Every header follows from the names, checksums and sizes of the entries, so a reader can require the exact bytes.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

LEVEL = 9
REGULAR = 0o100644 << 16
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
HEADER_BYTES = _LOCAL.size  # before the name of an entry and its stream
_VERSION, _UNIX = 20, 3 << 8  # version 2.0 of the format; the system whose modes the entries have
_EPOCH = 1 << 5 | 1  # 1980-01-01, the earliest date that a ZIP file can store
_RAW = -zlib.MAX_WBITS  # a deflate stream without a header


class Entry(NamedTuple):
    """A regular file of an archive: its name, its deflate stream, and CRC-32 and size of its content in bytes."""

    name: str
    stream: bytes
    crc: int
    size: int


def deflate(name: str, content: bytes) -> Entry:
    """Compress `content`."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, _RAW)
    return Entry(name, packer.compress(content) + packer.flush(), zlib.crc32(content), len(content))


def inflate(entry: Entry, most: int) -> bytes:
    """Return the content of an entry; raises ValueError unless it has at most `most` bytes and matches its headers."""
    if entry.size > most:
        raise ValueError(f"has more than {most} bytes")
    unpacker = zlib.decompressobj(_RAW)
    try:
        content = unpacker.decompress(entry.stream, entry.size + 1)
    except zlib.error as error:
        raise ValueError(f"is damaged: {error}") from None
    if not unpacker.eof or unpacker.unused_data or (len(content), zlib.crc32(content)) != (entry.size, entry.crc):
        raise ValueError("is damaged: its size or its checksum differs from the directory of the archive")
    return content


def assemble(entries: Sequence[Entry]) -> bytes:
    """Return the archive of `entries`, in their order."""
    parts: list[bytes] = []
    directory: list[bytes] = []
    at = 0
    for entry in entries:
        name = entry.name.encode("ascii")
        flags, method, time = 0, zlib.DEFLATED, 0
        sizes = entry.crc, len(entry.stream), entry.size, len(name)
        directory += (
            _CENTRAL.pack(
                b"PK\1\2", _UNIX | _VERSION, _VERSION, flags, method, time, _EPOCH, *sizes, 0, 0, 0, 0, REGULAR, at
            ),
            name,
        )
        parts += (_LOCAL.pack(b"PK\3\4", _VERSION, flags, method, time, _EPOCH, *sizes, 0), name, entry.stream)
        at += _LOCAL.size + len(name) + len(entry.stream)
    whole = b"".join(directory)
    return b"".join((*parts, whole, _END.pack(b"PK\5\6", 0, 0, len(entries), len(entries), len(whole), at, 0)))
