"""A Zarr array of version 3: a chunk for each frame, shards of 24 of them, bitshuffle and LZ4."""

import os
from pathlib import Path

import numpy as np
import zarr
from zarr.codecs import BloscCodec

from spindlemark.core.sync_folder import sync_folder
from spindlemark.families.frame_storage.sequence import Repeated, Sequence

SHARD = 24
# Of the mean size of a frame: some may be smaller, and a shard does not say by how much; all of them without the descriptions.
_SOME, _ALL = 0.5, 0.95


def write(sequence: Sequence, samples: Repeated, folder: Path) -> None:
    """Write all frames, a shard at a time."""
    array = zarr.create_array(
        store=str(folder),
        shape=samples.shape,
        chunks=(1, *sequence.shape),
        shards=(SHARD, *sequence.shape),
        dtype=sequence.dtype.name,
        compressors=BloscCodec(cname="lz4", clevel=5, shuffle="bitshuffle"),
    )
    for at in range(0, len(samples), SHARD):
        array[at : at + SHARD] = samples[at : at + SHARD]


class Zarr:
    """The array."""

    def __init__(self, sequence: Sequence, folder: Path) -> None:
        self.sequence, self.folder = sequence, folder
        self.array = zarr.open_array(str(folder), mode="r+")
        if (self.array.shape, self.array.dtype) != ((sequence.frames, *sequence.shape), sequence.dtype):
            raise ValueError(f"the array holds {self.array.shape} of {self.array.dtype}")

    def frame(self, number: int, into: np.ndarray) -> None:
        """Read a frame."""
        into[:] = self.array[number]

    def patch(self, number: int, into: np.ndarray) -> None:
        """Read the patch of a frame, whose whole chunk is decoded."""
        into[:] = self.array[number, *self.sequence.patch]

    def least(self, numbers: list[int], patch: bool) -> int:
        """Half of the mean size for each of some frames, or almost all files."""
        stored = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        share = _ALL if len(numbers) == self.sequence.frames else _SOME
        return int(share * stored * len(numbers) / self.sequence.frames)

    def rewrite(self, number: int, samples: np.ndarray) -> None:
        """Store a frame, with which its shard is written again, and sync all files."""
        self.array[number] = samples
        for path in self.folder.rglob("*"):
            if path.is_file():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
            else:
                sync_folder(path)
        sync_folder(self.folder)
