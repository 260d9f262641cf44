"""Which blocks of an F2FS image are in use: what `dump.f2fs` says about its tables of segments and of nodes.

Format: Documentation/filesystems/f2fs.rst and include/linux/f2fs_fs.h of Linux 6.1. Each block of the two tables has two
places on the disk, of which a checkpoint uses one (`pack`). Blocks of the main area are in use if the bit of their
segment is set. Everything before the main area that is not such an unused place is read by a mount or a check.
"""

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.outcome import Broken
from spindlemark.families.integrity import disks

_SUPERBLOCK_OFFSET, _MAGIC = 1024, 0xF2F52010
# Magic and version, seven sizes as logarithms, number of blocks, numbers of segments, and first blocks of the areas.
_SUPERBLOCK = struct.Struct("<IHH7IQ13I")
_SEGMENTS_PER_BLOCK, _NODES_PER_BLOCK = 55, 455  # entries of a block of the tables
_SEGMENT = re.compile(r"segno:\s*(\d+)\s+vblocks:\s*(\d+)\s+seg_type:\s*\d+\s+sit_pack:\s*(\d)\s+([0-9a-f\s]*)")
_NODE = re.compile(r"nid:\s*(\d+)\s.*?pack:\s*(\d)")


@dataclass(frozen=True)
class Layout:
    """Blocks of a segment, segments of the table of segments, and first blocks of the areas."""

    segment_blocks: int
    table_segments: int
    segment_table: int
    node_table: int
    summaries: int
    main: int


def in_use(image: Path) -> Callable[[int], bool]:
    """Return whether the block of a number is in use. Raises Broken for an image that is not F2FS."""
    with image.open("rb") as opened:
        opened.seek(_SUPERBLOCK_OFFSET)
        layout = layout_of(opened.read(_SUPERBLOCK.size))
    segments, nodes = _dumped(image, "-s", "dump_sit"), _dumped(image, "-n", "dump_nat")
    found = table_blocks(segments, nodes, layout) | main_blocks(segments, layout)
    if not any(block >= layout.main for block in found):
        raise Broken(f"dump.f2fs shows no segment in use: {segments[:200]}")
    return lambda block: block in found or block < layout.segment_table or layout.summaries <= block < layout.main


def layout_of(superblock: bytes) -> Layout:
    """The layout that a superblock has; raises Broken where it is none of F2FS."""
    magic, _, _, *sizes = _SUPERBLOCK.unpack(superblock)
    if magic != _MAGIC:
        raise Broken(f"the disk has no superblock of F2FS, but the magic number {magic:#x}")
    table_segments, (segment_table, node_table, summaries, main) = sizes[11], sizes[17:21]
    return Layout(1 << sizes[3], table_segments, segment_table, node_table, summaries, main)


def main_blocks(segments: str, layout: Layout) -> set[int]:
    """Blocks of the main area that hold data, nodes or folders, from the text of `dump.f2fs -s`."""
    found = set()
    for number, count, _, digits in _SEGMENT.findall(segments):
        bits = bytes.fromhex("".join(digits.split())) if int(count) else b""
        first = layout.main + int(number) * layout.segment_blocks
        found |= {first + 8 * at + bit for at, byte in enumerate(bits) for bit in range(8) if byte & (0x80 >> bit)}
    return found


def table_blocks(segments: str, nodes: str, layout: Layout) -> set[int]:
    """Blocks of both tables that the newest checkpoint uses, from the texts of `dump.f2fs -s` and `-n`."""
    copy = layout.table_segments // 2 * layout.segment_blocks  # the second places follow all first ones
    found = {
        layout.segment_table + int(number) // _SEGMENTS_PER_BLOCK + (copy if pack == "2" else 0)
        for number, _, pack, _ in _SEGMENT.findall(segments)
    }
    for number, pack in _NODE.findall(nodes):  # here a segment of first places is followed by one of second ones
        segment, inside = divmod(int(number) // _NODES_PER_BLOCK, layout.segment_blocks)
        found.add(layout.node_table + (2 * segment + (pack == "2")) * layout.segment_blocks + inside)
    return found


def _dumped(image: Path, option: str, name: str) -> str:
    """The file that `dump.f2fs` writes into the working folder."""
    words = ["sh", "-c", 'cd "$0" && exec "$@"', image.parent, "dump.f2fs", option, "0~-1", image]
    done = disks.run(words)
    file = image.parent / name
    if done.exit_code or not file.exists():
        raise Broken(f"dump.f2fs ended with exit code {done.exit_code}: {(done.stderr or done.stdout).strip()[-300:]}")
    try:
        return file.read_text(encoding="ascii", errors="replace")
    finally:
        file.unlink()
