"""Give a device the content that a disk had when the power was cut: cut_program.py LOG BYTES IMAGE DEVICE.

The first BYTES of the LOG of writes are applied to the new file IMAGE, and DEVICE gets all of it that it does not have yet,
zeros too. It prints {"writes": number, "bytes": written by them, "copied": bytes that the device got}. Runs with the standard
library alone.
"""

import json
import os
import sys
from pathlib import Path

from spindlemark.testbeds import write_log

PIECE = 1 << 20


def main(log: Path, end: int, image: Path, device: Path) -> dict[str, int]:
    """Apply the writes that were complete at byte `end` of the log."""
    with device.open("r+b", buffering=0) as target, image.open("x+b") as file:
        file.truncate(target.seek(0, os.SEEK_END))
        before = [entry for entry in write_log.entries(log) if entry.at + entry.size <= end and not entry.is_flush]
        write_log.apply(log, before, file.fileno())
        copied = _copy(file.fileno(), target.fileno())
        os.fsync(target.fileno())
    return {"writes": len(before), "bytes": sum(entry.size for entry in before), "copied": copied}


def _copy(source: int, target: int) -> int:
    """Copy each piece that differs; return the number of bytes."""
    at = copied = 0
    while piece := os.pread(source, PIECE, at):
        if os.pread(target, len(piece), at) != piece:
            done = 0
            while done < len(piece):
                done += os.pwrite(target, piece[done:], at + done)
            copied += len(piece)
        at += len(piece)
    return copied


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))))
