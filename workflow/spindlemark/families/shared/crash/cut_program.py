"""Give a device the content that a disk had when the power was cut: cut_program.py LOG BYTES IMAGE DEVICE [SEED].

The first BYTES of the LOG of writes are applied to the new file IMAGE, and DEVICE gets all of it that it does not have yet,
zeros too. With SEED the disk had a volatile cache: of the writes since the last flush it has those that a toss of a coin keeps.
It prints {"writes": number, "bytes": written by them, "copied": bytes that the device got}. Runs with the standard library alone.
"""

import json
import os
import random
import sys
from pathlib import Path

from spindlemark.testbeds import write_log

PIECE = 1 << 20


def main(log: Path, end: int, image: Path, device: Path, seed: int | None = None) -> dict[str, int]:
    """Apply the writes that were complete at byte `end` of the log; with `seed`, of a disk with a volatile cache."""
    before = [entry for entry in write_log.entries(log) if entry.at + entry.size <= end]
    writes = [entry for entry in before if not entry.is_flush] if seed is None else _cached(before, seed)
    with device.open("r+b", buffering=0) as target, image.open("x+b") as file:
        file.truncate(target.seek(0, os.SEEK_END))
        write_log.apply(log, writes, file.fileno())
        copied = _copy(file.fileno(), target.fileno())
        os.fsync(target.fileno())
    return {"writes": len(writes), "bytes": sum(entry.size for entry in writes), "copied": copied}


def _cached(entries: list[write_log.Entry], seed: int) -> list[write_log.Entry]:
    """All writes before the last flush, and each later one with a chance of one half."""
    last = max((n for n, entry in enumerate(entries) if entry.is_flush), default=0)
    chance = random.Random(seed)
    return [e for n, e in enumerate(entries) if not e.is_flush and (n < last or chance.random() < 0.5)]


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
    log, end, image, device, *seed = sys.argv[1:]
    print(json.dumps(main(Path(log), int(end), Path(image), Path(device), int(seed[0]) if seed else None)))
