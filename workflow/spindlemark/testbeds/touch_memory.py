"""Touch free memory, so that the hypervisor provides pages that it reclaimed, and print how many bytes were touched.

A program of its own that needs only Python: touch_memory.py SIZE LEFT. It ends early when fewer than LEFT bytes are
free, or when the first part of SIZE is resident already. Where memory gets short, the kernel kills it first.
"""

import mmap
import re
import sys
import time
from pathlib import Path

_PART = 64 << 20
_POPULATE_WRITE = 23  # MADV_POPULATE_WRITE, since Linux 5.14
# Getting a page from the hypervisor takes about twenty times as long as writing to it.
_SLOWER = 3
_SAMPLE = 0.25


def main(size: int, left: int) -> int:
    """Touch up to `size` bytes, part by part, and free them all at the end; returns the bytes touched."""
    Path("/proc/self/oom_score_adj").write_text("1000")
    parts: list[mmap.mmap] = []
    seconds, fetched = float("inf"), False
    while len(parts) * _PART + _PART <= size and _free() >= left + _PART:
        part = mmap.mmap(-1, _PART, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        parts.append(part)
        part.madvise(mmap.MADV_HUGEPAGE)
        first, again = _touch(part), _write(part)
        seconds = min(seconds, again)
        fetched = fetched or first > _SLOWER * seconds
        if not fetched and len(parts) * _PART >= _SAMPLE * size:
            break
    return len(parts) * _PART


def _touch(part: mmap.mmap) -> float:
    begun = time.perf_counter()
    try:
        part.madvise(_POPULATE_WRITE)
    except OSError:  # an older kernel
        _write(part)
    return time.perf_counter() - begun


def _write(part: mmap.mmap) -> float:
    begun = time.perf_counter()
    part.seek(0)
    part.write(bytes(_PART))
    return time.perf_counter() - begun


def _free() -> int:
    rows = dict(re.findall(r"^(\w+):\s+(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE))
    return int(rows["MemFree"]) * 1024


if __name__ == "__main__":
    print(main(int(sys.argv[1]), int(sys.argv[2])))
