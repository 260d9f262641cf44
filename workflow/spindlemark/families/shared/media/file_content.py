"""What is in the files: random bytes that no filesystem can shrink, or zeros."""

from typing import Any

import numpy as np

from spindlemark.core.errors import UserError

# The unit in which btrfs compresses, and a multiple of every usual block size.
UNIT = 128 * 1024
# One byte more than 32 MiB: odd, so a file that runs over its end goes on at another alignment. Aligned 128 KiB windows
# of a library stay all different for 4 TiB, aligned 4 KiB windows of one long file for 128 GiB.
PERIOD = 32 * 1024 * 1024 + 1


def block(library: dict[str, Any]) -> bytes:
    """PERIOD bytes which the files repeat, each from its own start (see `starts`); decided by content and seed."""
    if library["content"] == "zero":
        return bytes(PERIOD)
    if library["content"] == "incompressible":
        return np.random.Generator(np.random.SFC64([library["seed"], 3])).bytes(PERIOD)
    raise UserError(
        f"config/profiles/<profile>.yaml: content: {library['content']!r} is unknown", "write incompressible or zero"
    )


def starts(sizes: np.ndarray) -> np.ndarray:
    """Where in the block each file begins, int64: after the whole units that all files before it took."""
    units = -(-sizes // UNIT)
    return (np.cumsum(units) - units) * UNIT % PERIOD
