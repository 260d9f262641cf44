"""Where a disk is looked at before it counts as empty: nothing but zeros may lie in any of these places.

A zapped partition table leaves everything behind it where it was. So the places where partitions begin and end are read
in whole, as far as all signatures that probes know reach, and what lies between them is sampled: the same places each
time, since they follow from the disk's size. Some 500 reads in all, a few seconds on a disk that turns.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from spindlemark.core.errors import UserError
from spindlemark.testbeds import signatures

AREA = 1 << 20  # bytes of one place where something begins; no known signature of a partition's start lies behind it
SAMPLE = 64 << 10  # bytes
EVENLY, AT_RANDOM = 256, 128  # samples: the first find what is long, the second what is scattered in any regular way
# Read from end to end. First partitions begin at the sectors 34, 40, 63 and 2048, or at a power of two up to 16 MiB
# (erase blocks of cards), or behind Microsoft's reserved 16 MiB. The last one ends up to 8 MiB before the end of the
# disk (ZFS), with what RAID, LDM and ZFS keep at the end of theirs.
HEAD, TAIL = 32 * AREA, 16 * AREA
# MiB where the second, third or fourth partition begins: tools cut at whole MiB, and the first begins at 0 or 1.
STARTS = (
    # after EFI's, the first partition
    64,
    65,
    100,
    101,
    128,
    129,
    200,
    201,
    256,
    257,
    260,
    261,
    300,
    301,
    512,
    513,
    600,
    601,
    1024,
    1025,
    1076,
    116,
    117,
    145,
    229,
    277,
    317,  # and with 16 or 128 MiB reserved by Microsoft
    350,
    351,
    451,
    500,
    501,
    530,
    550,
    580,  # after a recovery or system partition of Windows
    551,
    567,
    599,
    615,
    616,
    629,
    630,
    645,
    646,  # and with EFI's and the reserved one after it
    1537,
    1625,
    2048,
    2049,
    2561,
    3073,  # after a boot partition of 1 or 2 GiB, alone or behind EFI's
    516,
    4096,
    4097,
    8192,
    8193,
)  # after the boot partition of a card, or swap
_PAGE = 4096
_FIRST_SECTORS = (0, 34, 40, 63)  # where, counted from a whole MiB, a partition may begin


def foreign(node: Path, size: int) -> str | None:
    """What lies in the first place with anything but zeros, None when there is none.

    `size` is the device's in bytes. Raises UserError when a place cannot be read.
    """
    with node.open("rb", buffering=0) as device:
        os.posix_fadvise(device.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        for offset, count in chosen(size):
            data = read(device, offset, count)
            if data != bytes(count):
                return _named(node, offset + count - len(data.lstrip(b"\0")))
    return None


def chosen(size: int) -> list[tuple[int, int]]:
    """(offset, bytes) of each place on a disk of `size` bytes, in order."""
    whole = [*range(0, HEAD, AREA), *(start * AREA for start in STARTS), size // 2, *range(size - TAIL, size, AREA)]
    scattered = random.Random(size)
    samples = [size * number // EVENLY for number in range(EVENLY)]
    samples += [scattered.randrange(max(size, 1)) for _ in range(AT_RANDOM)]
    return sorted({*_clipped(whole, AREA, size), *_clipped(samples, SAMPLE, size)})


def read(device: BinaryIO, offset: int, count: int) -> bytes:
    """All `count` bytes at `offset`; raises UserError naming the first that cannot be read.

    Before a bad sector the kernel gives what it has: fewer bytes than asked for, and the error only at the next call.
    """
    found = b""
    while len(found) < count:
        try:
            part = os.pread(device.fileno(), count - len(found), offset + len(found))
            reason = "it ends there"
        except OSError as error:
            part, reason = b"", str(error.strerror)
        if not part:
            raise UserError(
                f"{device.name}: cannot be read at byte {offset + len(found)}: {reason}; nothing was written",
                "a disk that cannot be read everywhere is not taken: name another one",
            )
        found += part
    return found


def _clipped(offsets: list[int], count: int, size: int) -> Iterator[tuple[int, int]]:
    for offset in offsets:
        begin = offset // _PAGE * _PAGE
        if 0 <= begin < size:
            yield begin, min(count, size - begin)


def _named(node: Path, found: int) -> str:
    """The filesystem of a partition that began in the MiB of the byte `found`, else that byte."""
    for sector in _FIRST_SECTORS:
        start = found // AREA * AREA + sector * 512
        kind = signatures.kind_at(node, start)
        if kind is not None:
            return f"there is {kind} on it at byte {start}, where a partition may have begun"
    return f"it holds data of a kind that nothing here knows at byte {found}"
