"""Check that a disk is empty: a number of places on it must contain only zeros.

Deleting a partition table leaves the data of the partitions. So the places where partitions usually begin and end are
read completely, as far as any known signature reaches, and the rest is sampled. The places depend only on the disk's
size, so they are the same each time. About 500 reads in all, which take a few seconds on a hard disk.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from spindlemark.core.errors import UserError
from spindlemark.testbeds import signatures

AREA = 1 << 20  # bytes read where a partition may begin; all known signatures of a partition's start are within them
SAMPLE = 64 << 10  # bytes
EVENLY, AT_RANDOM = 256, 128  # number of samples: even ones find long data, random ones find data at regular distances
# Both are read completely. First partitions begin at the sectors 34, 40, 63 and 2048, or at a power of two up to 16 MiB
# (erase blocks of cards), or after Microsoft's reserved 16 MiB. The last one ends up to 8 MiB before the end of the
# disk (ZFS), and RAID, LDM and ZFS have metadata at the end of their partitions.
HEAD, TAIL = 32 * AREA, 16 * AREA
# MiB where the second, third or fourth partition begins: tools use whole MiB, and the first begins at 0 or 1.
STARTS = (
    # after an EFI system partition that comes first
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
    317,  # and after 16 or 128 MiB reserved by Microsoft
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
    646,  # and after the EFI and the reserved partition
    1537,
    1625,
    2048,
    2049,
    2561,
    3073,  # after a boot partition of 1 or 2 GiB, alone or after the EFI partition
    516,
    4096,
    4097,
    8192,
    8193,
)  # after the boot partition of a card, or swap
_PAGE = 4096
_FIRST_SECTORS = (0, 34, 40, 63)  # after a whole MiB, where a partition may begin


def foreign(node: Path, size: int) -> str | None:
    """Describe the first place that contains anything except zeros; None when there is none.

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
    """List (offset, bytes) of each place on a disk of `size` bytes, in order."""
    whole = [*range(0, HEAD, AREA), *(start * AREA for start in STARTS), size // 2, *range(size - TAIL, size, AREA)]
    scattered = random.Random(size)
    samples = [size * number // EVENLY for number in range(EVENLY)]
    samples += [scattered.randrange(max(size, 1)) for _ in range(AT_RANDOM)]
    return sorted({*_clipped(whole, AREA, size), *_clipped(samples, SAMPLE, size)})


def read(device: BinaryIO, offset: int, count: int) -> bytes:
    """Read `count` bytes at `offset`; raises UserError naming the first byte that cannot be read.

    Before a bad sector the kernel returns fewer bytes than requested, and reports the error at the next call.
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
                "a disk with unreadable places cannot be used: name another one",
            )
        found += part
    return found


def _clipped(offsets: list[int], count: int, size: int) -> Iterator[tuple[int, int]]:
    for offset in offsets:
        begin = offset // _PAGE * _PAGE
        if 0 <= begin < size:
            yield begin, min(count, size - begin)


def _named(node: Path, found: int) -> str:
    """Name the filesystem of a partition that began in the MiB of the byte `found`, or else only that byte."""
    for sector in _FIRST_SECTORS:
        start = found // AREA * AREA + sector * 512
        kind = signatures.kind_at(node, start)
        if kind is not None:
            return f"there is {kind} on it at byte {start}, where a partition may have begun"
    return f"it contains unknown data at byte {found}"
