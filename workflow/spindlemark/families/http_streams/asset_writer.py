"""Program: write assets of marked blocks (see asset_blocks.py), each one file or segments with a playlist. Standard library alone.

<folder>/<n>/asset           progressive: one file
<folder>/<n>/index.m3u8      HLS (RFC 8216): a playlist of segment-0, segment-1, ...

One asset after another, so that nothing is fragmented; what they hold is drawn at random once per call, so neither
compression nor deduplication finds much. Ends with exit code 1 and the system's words when the filesystem refuses.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from math import ceil
from pathlib import Path

from spindlemark.families.http_streams import asset_blocks

_AT_ONCE = 1 << 20
PLAYLIST, ASSET = "index.m3u8", "asset"


def segments(asset_bytes: int, segment_bytes: int) -> Iterator[tuple[str, int, int]]:
    """(name, first byte, size) of each file of an asset; one file where a segment has no size."""
    if not segment_bytes:
        yield ASSET, 0, asset_bytes
        return
    for number in range(ceil(asset_bytes / segment_bytes)):
        first = number * segment_bytes
        yield f"segment-{number}", first, min(segment_bytes, asset_bytes - first)


def playlist(asset_bytes: int, segment_bytes: int, rate: float) -> str:
    """The media playlist of an asset."""
    files = list(segments(asset_bytes, segment_bytes))
    lines = [
        "#EXTM3U",
        "#EXT-X-VERSION:3",
        f"#EXT-X-TARGETDURATION:{ceil(segment_bytes / rate)}",
        "#EXT-X-MEDIA-SEQUENCE:0",
        "#EXT-X-PLAYLIST-TYPE:VOD",
    ]
    for name, _, size in files:
        lines += [f"#EXTINF:{size / rate:.3f},", name]
    return "\n".join([*lines, "#EXT-X-ENDLIST", ""])


def write(folder: Path, asset: int, asset_bytes: int, segment_bytes: int, rate: float, pool: bytearray) -> None:
    """One asset."""
    place = folder / str(asset)
    place.mkdir(mode=0o755)
    for name, first, size in segments(asset_bytes, segment_bytes):
        with open(place / name, "xb", buffering=0, opener=lambda path, flags: os.open(path, flags, 0o644)) as file:
            for at in range(first, first + size, _AT_ONCE):
                length = min(_AT_ONCE, first + size - at)
                file.write(memoryview(asset_blocks.marked(asset, at // asset_blocks.BLOCK, pool))[:length])
    if segment_bytes:
        (place / PLAYLIST).write_text(playlist(asset_bytes, segment_bytes, rate))


def main() -> int:
    """Parse and write."""
    parser = argparse.ArgumentParser(prog="writer", description=__doc__)
    parser.add_argument("folder", type=Path)
    for name, meaning in (
        ("first", "number of the first asset"),
        ("assets", "how many"),
        ("asset-bytes", "of each, whole blocks"),
        ("segment-bytes", "whole blocks; 0: one file"),
    ):
        parser.add_argument(f"--{name}", type=int, required=True, help=meaning)
    parser.add_argument("--rate", type=float, required=True, help="bytes per second, for the playlist")
    given = parser.parse_args()
    pool = bytearray(os.urandom(_AT_ONCE))
    os.umask(0o022)
    try:
        given.folder.mkdir(mode=0o755, exist_ok=True)
        for asset in range(given.first, given.first + given.assets):
            write(given.folder, asset, given.asset_bytes, given.segment_bytes, given.rate, pool)
    except OSError as error:
        print(f"writer: asset {asset}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
