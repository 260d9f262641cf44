"""The largest number that holds: by strides from a guess, then where a failure points to, then by bisection."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isqrt


@dataclass(frozen=True)
class Tried:
    """Whether a number held, and how many it would have been at what was served to all of them together."""

    holds: bool
    served: float


@dataclass(frozen=True)
class Found:
    """`sustained` held, or is 0; `failed` is the smallest number seen to fail, None when none did."""

    sustained: int
    failed: int | None


def search(tried: Callable[[int], Tried], guess: int, most: int, resolution: float = 0.0, stride: float = 2.0) -> Found:
    """Look for the largest number from 1 to `most` that holds.

    Ends when `failed - sustained` is 1 or at most `resolution` x `sustained`, when `most` holds, or when 1 fails. For a
    condition that holds up to some number and never above it, the answer is that number to within the resolution.
    What was served where a number failed says what to try next, and never what the answer is. `stride` is the first
    step away from the guess, as a factor: 2, or less where the guess was measured; it grows to 2.
    """
    if most < 1:
        raise ValueError(f"nothing to try: most is {most}")
    low, high, aim, pointed = 0, most + 1, 0, 0  # low held, high did not; these ends are never tried
    number = min(max(guess, 1), most)
    while low < most < high or high - low > max(1, resolution * low):
        result = tried(number)
        if result.holds:
            aim = int((1 + resolution) * number) if number == pointed else 0  # is that the end already?
            low, pointed = number, 0
        else:
            # A stream that got nearly all was late for a moment, which does not show how many would not be.
            pointed = int(result.served / (1 + resolution / 2)) if result.served < (1 - resolution) * number else 0
            high, aim = number, pointed
        number = aim if low < aim < high else _between(low, high, most, stride)
        stride = min(stride**2, 2.0)
    return Found(low, high if high <= most else None)


def _between(low: int, high: int, most: int, stride: float) -> int:
    """A stride above what held where nothing failed, a stride below what failed where nothing held, else between them."""
    if high > most:
        return min(max(int(stride * low), low + 1), most)
    return max(isqrt(low * high), low + 1) if low else max(min(ceil(high / stride), high - 1), 1)
