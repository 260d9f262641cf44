"""The curve of missed frames over the number of streams, and the largest number of streams that it allows.

Streams are added one at a time, as in study 002. One number that misses frames by chance does not decide: the curve is fitted by
isotonic regression, since more streams can only miss more, with the pool-adjacent-violators algorithm (Ayer, Brunk, Ewing, Reid and
Silverman 1955, "An empirical distribution function for sampling with incomplete information", Annals of Mathematical Statistics 26).
Each point counts at most twice the limit, so that one bad trial does not outweigh several good ones.
"""

from collections.abc import Callable, Sequence

from spindlemark.families.live_video.analysis import MOST_MISSED_PER_SECOND
from spindlemark.families.shared.streams.search import Found

BEYOND = 2  # numbers that are tried beyond the first one that is too many


def monotone(values: Sequence[float]) -> list[float]:
    """The non-decreasing sequence with the least squared distance from `values`."""
    pools: list[tuple[float, int]] = []  # (mean, how many)
    for value in values:
        mean, count = float(value), 1
        while pools and pools[-1][0] >= mean:
            before, many = pools.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        pools.append((mean, count))
    return [mean for mean, count in pools for _ in range(count)]


def sustained(missed: Sequence[float]) -> int:
    """The largest number of streams that the curve allows; `missed` has frames per second of 1, 2, 3, ... streams."""
    limit = MOST_MISSED_PER_SECOND
    return sum(each <= limit for each in monotone([min(each, 2 * limit) for each in missed]))


def add_one_by_one(missed: Callable[[int], float | None], most: int) -> tuple[Found, int]:
    """Try 1, 2, 3, ... streams until BEYOND numbers after the first that is too many, or `most`.

    `missed` returns the frames per second that the worst of so many streams missed, or None where so many cannot be tried.
    Returns what was found, and the last number tried.
    """
    seen: list[float] = []
    while len(seen) < most and len(seen) <= sustained(seen) + BEYOND:
        found = missed(len(seen) + 1)
        if found is None:
            break
        seen.append(found)
    held = sustained(seen)
    return Found(held, held + 1 if held < len(seen) else None), len(seen)
