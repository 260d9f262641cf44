"""The largest number that holds, by doubling or halving from a guess and then by bisection."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    """`sustained` held, or is 0; `failed` is the smallest number seen to fail, None when none did."""

    sustained: int
    failed: int | None


def search(holds: Callable[[int], bool], guess: int, most: int, resolution: float = 0.0) -> Found:
    """Look for the largest number from 1 to `most` for which `holds`.

    Ends when `failed - sustained` is 1 or at most `resolution` x `sustained`, when `most` holds, or when 1 fails. For a
    condition that holds up to some number and never above it, the answer is that number to within the resolution.
    """
    if most < 1:
        raise ValueError(f"nothing to try: most is {most}")
    low, high = 0, most + 1  # low held, high did not; these ends are never tried
    number = min(max(guess, 1), most)
    while low < most < high or high - low > max(1, resolution * low):
        if holds(number):
            low = number
        else:
            high = number
        if high > most:
            number = min(2 * low, most)
        elif low < 1:
            number = max(high // 2, 1)
        else:
            number = (low + high) // 2
    return Found(low, high if high <= most else None)
