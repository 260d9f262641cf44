"""The points at which power is cut in a replay: what of the recorded writes the disk then has.

*In order* is every prefix of the writes, as a disk that keeps what it is given. *Reordered* is what a disk with a cache
may do: all that it had before the last flush, and any part of the writes after it. Of both there is a declared sample
where there are more, drawn by a seed; that of the prefixes holds the first and the last, and those around flushes as
far as there is room. Requests are whole or not there: none is torn.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spindlemark.testbeds.write_log import Entry


@dataclass(frozen=True)
class Point:
    """All entries before `upto`, and those of the numbers in `also`, which come later."""

    upto: int
    also: tuple[int, ...] = ()


def in_order(entries: Sequence[Entry], begin: int, most: int, seed: int) -> list[Point]:
    """After each write from entry `begin` on, and before the first of them; at most `most` points, in their order."""
    writes = [n for n in range(begin, len(entries)) if not entries[n].is_flush]
    ends = [begin, *(n + 1 for n in writes)]
    rng = np.random.default_rng(seed)
    chosen = _drawn({ends[0], ends[-1]}, _around_flushes(entries, writes), most, rng)
    return [Point(end) for end in sorted(_drawn(chosen, ends, most, rng))]


def reordered(entries: Sequence[Entry], begin: int, most: int, seed: int) -> list[Point]:
    """At most `most` states that no prefix has: of one window without a flush a part, each write by the toss of a coin.

    Windows come up as often as they have writes. Fewer points where there are fewer such states, or too few are found.
    """
    windows = [window for window in _windows(entries, begin) if len(window) > 1]
    if not windows or most < 1:
        return []
    rng = np.random.default_rng(seed)
    weights = np.array([len(window) for window in windows]) / sum(map(len, windows))
    found: dict[Point, None] = {}
    for _ in range(4 * most):
        window = windows[rng.choice(len(windows), p=weights)]
        kept = tuple(n for n, stays in zip(window, rng.random(len(window)) < 0.5, strict=True) if stays)
        if kept != tuple(window[: len(kept)]) and len(found) < most:
            found[Point(window[0], kept)] = None
    return sorted(found, key=lambda point: (point.upto, point.also))


def _around_flushes(entries: Sequence[Entry], writes: Iterable[int]) -> list[int]:
    """The ends of writes right before a flush and right after one."""
    return [n + 1 for n in writes if entries[n - 1].is_flush or (n + 1 < len(entries) and entries[n + 1].is_flush)]


def _drawn(already: set[int], others: Iterable[int], most: int, rng: np.random.Generator) -> set[int]:
    """`already` and as many of the others as there is room for, by chance."""
    left = sorted(set(others) - already)
    return already | set(rng.permutation(left)[: max(0, most - len(already))].tolist())


def _windows(entries: Sequence[Entry], begin: int) -> list[list[int]]:
    """Numbers of the writes between two flushes each."""
    found: list[list[int]] = [[]]
    for n in range(begin, len(entries)):
        if entries[n].is_flush:
            found.append([])
        else:
            found[-1].append(n)
    return found
