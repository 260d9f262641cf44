"""What every format offers once its frames are written: reading whole frames and patches, and writing one frame again."""

import os
from pathlib import Path
from typing import Protocol

import numpy as np

from spindlemark.core.sync_folder import sync_folder
from spindlemark.families.frame_storage.sequence import Sequence


class FilterMissingError(Exception):
    """The library has not, or the file does not have, a filter that the way of storing needs."""


class DamagedError(Exception):
    """The format notices that what it stores is damaged."""


class Frames(Protocol):
    """What is stored, opened. Reading raises OSError, ValueError, DamagedError or an error of the library where it is damaged."""

    def frame(self, number: int, into: np.ndarray) -> None:
        """Read one whole frame."""

    def patch(self, number: int, into: np.ndarray) -> None:
        """Read the patch of one frame."""

    def least(self, numbers: list[int], patch: bool) -> int:
        """Bytes that a disk must give at least for these frames, or for the patch of each."""

    def rewrite(self, number: int, samples: np.ndarray) -> None:
        """Store other samples as a frame, and sync them to the disk."""


def plain(sequence: Sequence, count: int, patch: bool) -> int:
    """Bytes of so many frames, or of their patches, as they are."""
    rows, columns = sequence.patch
    share = (rows.stop - rows.start) * (columns.stop - columns.start) * 3 * sequence.dtype.itemsize
    return count * (share if patch else sequence.frame_bytes)


def replaced(path: Path, content: bytes | memoryview) -> None:
    """Replace a file as careful programs do: write another, sync it, rename it, sync the folder."""
    other = path.with_name(f".{path.name}.part")
    with other.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    other.rename(path)
    sync_folder(path.parent)
