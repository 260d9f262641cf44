"""Pieces of files on a device, as filefrag counts them: neighbouring extents are one piece, since no head moves between them."""

import re
from collections.abc import Sequence
from pathlib import Path

from spindlemark.core.outcome import Failed
from spindlemark.harness.repetition import Repetition

TOOL, PACKAGE = "filefrag", "e2fsprogs"
HUNDRED_MB = 1e8
_FILES_PER_CALL = 25  # its whole answer must fit what the record keeps of a command's output
_PIECES = re.compile(r": (\d+) extents? found", re.MULTILINE)


def count(repetition: Repetition, files: Sequence[Path], step: str, limit_seconds: float) -> int:
    """Pieces of all files together, as the step `step`; raises Failed where filefrag does not list each of them."""
    total = 0
    with repetition.step(step, cold=False):
        for start in range(0, len(files), _FILES_PER_CALL):
            some = files[start : start + _FILES_PER_CALL]
            done = repetition.run([TOOL, *some], limit_seconds)
            counts = _PIECES.findall(done.stdout)
            if len(counts) != len(some):
                raise Failed(f"{step}: {TOOL} lists {len(counts)} files instead of {len(some)}")
            total += sum(map(int, counts))
    return total
