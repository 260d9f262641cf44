"""Read at random places of files and print how long each took: a program with the standard library alone.

Its argument is a JSON file: `files`, `count` of reads, `bytes` of each, `anywhere` in a file or at its start, `seed`, and
`slowdown`, the share of its own time by which each read is prolonged.
It prints {"median": seconds, "p99": seconds}, each from before opening the file to the last byte.
"""

import json
import os
import random
import sys
import time
from pathlib import Path
from statistics import median


def read(path: str, size: int, share: float, slowdown: float = 0.0) -> float:
    """Open a file, read `size` bytes (or what it has) at `share` of the positions that are possible; return the seconds.

    A `slowdown` is waited for in a loop: a sleep would be longer than a tenth of a fast read.
    """
    begun = time.perf_counter()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        place = int(max(0, os.fstat(descriptor).st_size - size) * share)
        while size and (got := len(os.pread(descriptor, size, place))):
            size, place = size - got, place + got
        ends = begun + (1 + slowdown) * (time.perf_counter() - begun)
        while slowdown and time.perf_counter() < ends:
            pass
        return time.perf_counter() - begun
    finally:
        os.close(descriptor)


def main(task: dict) -> dict[str, float]:
    """Make all reads of a task; at the start of a file only one, since a second would come from the page cache."""
    rng, files, count = random.Random(task["seed"]), task["files"], task["count"]
    again = task["anywhere"] and len(files) < count
    chosen = rng.choices(files, k=count) if again else rng.sample(files, min(count, len(files)))
    slowdown = task.get("slowdown", 0.0)
    seconds = sorted(read(path, task["bytes"], rng.random() if task["anywhere"] else 0.0, slowdown) for path in chosen)
    return {"median": median(seconds), "p99": seconds[-(-99 * len(seconds) // 100) - 1]}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
