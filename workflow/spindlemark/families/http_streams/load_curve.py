"""The load curve: which numbers of clients are tried, and the largest number estimated from them.

The balance of a number of clients is the lowest fill of any buffer after its start, in seconds of playback, as if the client
had never paused (playback_buffer.py). It is positive where every buffer always held something, and falls below 0 exactly when
the first buffer runs empty, so it is one quantity on both sides of the limit. The estimate is where the straight line between
the largest number that held and the smallest that failed crosses 0:

    estimate = held + (failed - held) * balance(held) / (balance(held) - balance(failed))

A number may fail although no buffer ran empty, because buffers only shrank. Then the clients that the bytes of the second half
would feed, cut to the range between both numbers, are the estimate.
"""

from collections.abc import Callable, Iterator
from math import ceil

from spindlemark.families.http_streams.trial_result import Seen
from spindlemark.families.shared.streams.search import Found, Tried

BEYOND = 1.25  # of the guess: the highest number of a spread


def spread(guess: int, points: int, most: int) -> Iterator[int]:
    """`points` numbers at equal distances up to BEYOND x guess; 1, 2, 3, ... where the guess is not larger than `points`.

    The second kind goes on to `most`; the caller stops at the first number that fails.
    """
    if guess <= points:
        yield from range(1, most + 1)
        return
    top = min(ceil(BEYOND * guess), most)
    yield from sorted({max(1, round(top * number / points)) for number in range(1, points + 1)})


def measure(tried: Callable[[int], Tried], guess: int, points: int, most: int, resolution: float) -> Found:
    """Try the spread in ascending order up to the first failure, then halve the gap before it down to the resolution.

    Where all of the spread held, higher numbers follow until one fails or `most` held. The result means what `search` in
    shared/streams/search.py means by it.
    """
    low, high = 0, most + 1
    for number in spread(guess, points, most):
        if not tried(number).holds:
            high = number
            break
        low = number
    while low < most < high or high - low > max(1, resolution * low):
        number = min(max(ceil(BEYOND * low), low + 1), most) if high > most else (low + high) // 2
        if tried(number).holds:
            low = number
        else:
            high = number
    return Found(low, high if high <= most else None)


def estimate(found: Found, seen: dict[int, Seen], start_seconds: float) -> float:
    """The largest number of clients as a fraction, by the formula above; `found.sustained` where nothing failed.

    Without any client the balance is a buffer at its start, `start_seconds`.
    """
    held, failed = found.sustained, found.failed
    if failed is None:
        return float(held)
    above = seen[held].lowest_seconds if held else start_seconds
    below = seen[failed].lowest_seconds
    if below < 0 <= above:
        return held + (failed - held) * above / (above - below)
    return min(max(seen[failed].served, float(held)), float(failed))
