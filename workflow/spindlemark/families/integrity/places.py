"""Where faults go: the blocks of the images that hold data of files, and those that hold metadata in use.

A block holds data if it equals a block of a file, whichever filesystem wrote it. So each copy of mirrored data is found.
All other blocks that are not zero hold metadata. Of these, what no mount reads is left out: the journal of ext4 and the
log of xfs after a clean unmount, tree blocks of btrfs that newer ones replaced, and what F2FS does not use (f2fs_blocks.py).
"""

import errno
import os
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.outcome import Broken
from spindlemark.families.integrity import disks, f2fs_blocks, tree
from spindlemark.families.integrity.tree import BLOCK

_ZEROS = bytes(BLOCK)
_EXTENT = re.compile(r"(?:\((?:IND|DIND|TIND|ETB\d+|\d+(?:-\d+)?)\)):(\d+)(?:-(\d+))?")  # of debugfs stat
_XFS_VALUE = re.compile(r"(\w+) = (\d+)")
_LEAF = re.compile(r"^(?:leaf|node) (\d+) .*?generation (\d+)", re.MULTILINE)
# Header of a tree block of btrfs: checksum, UUID of the filesystem, address, flags, UUID of the chunk tree, generation.
_TREE_HEADER = struct.Struct("<32s16sQQ16sQ")
_SUPERBLOCKS = (64 << 10, 64 << 20)  # of btrfs; the third is beyond these images
_NODE_BLOCKS = 4  # blocks of a tree block of 16 KiB, the default
_MAGIC = b"_BHRfS_M"


@dataclass(frozen=True)
class Place:
    """A block of 4096 bytes: number of the image, number of the block, and the file that it is of, None for metadata."""

    image: int
    block: int
    file: int | None = None


def of_data(images: Sequence[Path], files: int, seed: int) -> list[Place]:
    """All blocks that hold data of files, each copy."""
    owner = {data: file for file in range(files) for data in tree.blocks(file, seed)}
    return [Place(at, block, owner[data]) for at, block, data in _blocks(images) if data in owner]


def of_metadata(images: Sequence[Path], files: int, seed: int, kind: str) -> list[Place]:
    """All blocks in use that hold neither data nor a journal, for the filesystem `kind`."""
    data = dict.fromkeys(map(_position, of_data(images, files, seed)))
    in_use = _IN_USE[kind](images)
    return [Place(at, block) for at, block, _ in _blocks(images) if (at, block) not in data and in_use(at, block)]


def _position(place: Place) -> tuple[int, int]:
    return place.image, place.block


def _blocks(images: Sequence[Path]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the blocks that are not zero: image, number and content."""
    for at, file in enumerate(images):
        with file.open("rb") as opened:
            for start, end in _written(opened.fileno()):
                for number in range(start // BLOCK, -(-end // BLOCK)):
                    if (data := os.pread(opened.fileno(), BLOCK, number * BLOCK)) != _ZEROS:
                        yield at, number, data


def _written(descriptor: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a sparse file that are not holes: first byte, and the byte after the last."""
    end, size = 0, os.fstat(descriptor).st_size
    while end < size:
        try:
            start = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole is left
                return
            raise
        end = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, end


InUse = Callable[[int, int], bool]


def _ext4(images: Sequence[Path]) -> InUse:
    """All but the blocks of the journal, which is inode 8."""
    shown = _output(images, ["debugfs", "-R", "stat <8>", images[0]])
    spans = [(int(first), int(last or first)) for first, last in _EXTENT.findall(shown)]
    if not spans:
        raise Broken(f"debugfs shows no journal: {shown[:200]}")
    return lambda at, block: not any(first <= block <= last for first, last in spans)


def _xfs(images: Sequence[Path]) -> InUse:
    """All but the blocks of the log."""
    fields = ["logstart", "logblocks", "agblocks", "agblklog", "blocksize"]
    shown = _output(images, ["xfs_db", "-r", "-c", "sb 0", "-c", f"p {' '.join(fields)}", images[0]])
    found = {name: int(value) for name, value in _XFS_VALUE.findall(shown)}
    if found.keys() != set(fields) or found["blocksize"] != BLOCK:
        raise Broken(f"xfs_db shows no log of blocks of {BLOCK} bytes: {shown[:200]}")
    group, inside = divmod(found["logstart"], 1 << found["agblklog"])
    first = group * found["agblocks"] + inside
    return lambda at, block: not first <= block < first + found["logblocks"]


def _btrfs(images: Sequence[Path]) -> InUse:
    """The superblocks, and the tree blocks that the present trees have, each copy."""
    with disks.attached(images) as nodes:
        shown = _output(images, ["btrfs", "inspect-internal", "dump-tree", "--noscan", *nodes])
        disks.forget_btrfs(nodes)
    present = {(int(address), int(generation)) for address, generation in _LEAF.findall(shown)}
    if not present:
        raise Broken(f"btrfs shows no trees: {shown[:200]}")
    found = set()
    for at, block, data in _blocks(images):
        offset = block * BLOCK
        if offset in _SUPERBLOCKS and data[64 : 64 + len(_MAGIC)] == _MAGIC:
            found.add((at, block))
        _, _, address, _, _, generation = _TREE_HEADER.unpack_from(data)
        if (address, generation) in present:
            found |= {(at, block + more) for more in range(_NODE_BLOCKS)}
    return lambda at, block: (at, block) in found


def _f2fs(images: Sequence[Path]) -> InUse:
    """All but blocks that were deleted, and the places of tables that the newest checkpoint does not use."""
    in_use = f2fs_blocks.in_use(images[0])
    return lambda at, block: in_use(block)


def _output(images: Sequence[Path], argv: Sequence[object]) -> str:
    """All that a command prints; a command's own result keeps only the end."""
    file = images[0].with_suffix(".txt")
    done = disks.run(["sh", "-c", 'exec "$@" > "$0"', file, *argv])
    if done.exit_code:
        raise Broken(f"{argv[0]} ended with exit code {done.exit_code}: {done.stderr.strip()}")
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    finally:
        file.unlink()


_IN_USE: dict[str, Callable[[Sequence[Path]], InUse]] = {"ext4": _ext4, "xfs": _xfs, "btrfs": _btrfs, "f2fs": _f2fs}
KINDS = tuple(_IN_USE)
