"""One HDF5 file: frames by layout and filters, written by h5py or made by h5repack."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401 - makes its filters known to h5py
import numpy as np

from spindlemark.families.frame_storage.layouts import DATASET, Store
from spindlemark.families.frame_storage.sequence import Repeated, Sequence
from spindlemark.families.frame_storage.stored_frames import FilterMissingError, plain


def write(store: Store, samples: Repeated, target: Path) -> None:
    """Write all frames to one file; raises FilterMissingError."""
    _require(store.filters, h5py.h5z.filter_avail, "this HDF5 library has")
    with h5py.File(target, "w") as file:
        stored = file.create_dataset(
            DATASET, samples.shape, samples.dtype, chunks=store.chunk(samples.shape[1:]), **store.python
        )
        for number, frame in enumerate(samples):
            stored.write_direct(np.ascontiguousarray(frame), None, np.s_[number])


class Hdf5:
    """The dataset of the frames."""

    def __init__(self, sequence: Sequence, stored: h5py.Dataset) -> None:
        if (stored.shape, stored.dtype) != ((sequence.frames, *sequence.shape), sequence.dtype):
            raise ValueError(f"the file holds {stored.shape} of {stored.dtype}")
        self.sequence, self.stored = sequence, stored

    def filters(self) -> set[int]:
        """HDF5's numbers of the filters in the file."""
        plist = self.stored.id.get_create_plist()
        return {plist.get_filter(n)[0] for n in range(plist.get_nfilters())}

    def frame(self, number: int, into: np.ndarray) -> None:
        """Read a frame."""
        self.stored.read_direct(into, np.s_[number])

    def patch(self, number: int, into: np.ndarray) -> None:
        """Read the patch of a frame."""
        self.stored.read_direct(into, np.s_[number, *self.sequence.patch])

    def least(self, numbers: list[int], patch: bool) -> int:
        """The chunks that are touched, or only the samples where the library reads them by themselves."""
        if not self.stored.chunks or (patch and self._reads_parts()):
            return plain(self.sequence, len(numbers), patch)
        size, whole, wanted = self.stored.chunks[1:3], self.sequence.patch, set(numbers)
        infos = (self.stored.id.get_chunk_info(n) for n in range(self.stored.id.get_num_chunks()))
        return sum(
            info.size
            for info in infos
            if info.chunk_offset[0] in wanted
            and (
                not patch
                or all(
                    start < part.stop and start + long > part.start
                    for start, long, part in zip(info.chunk_offset[1:3], size, whole, strict=True)
                )
            )
        )

    def _reads_parts(self) -> bool:
        """Of a chunk without filters that does not fit into the chunk cache, HDF5 reads what is selected and not the whole chunk."""
        cache = self.stored.id.get_access_plist().get_chunk_cache()[1]
        return not self.filters() and int(np.prod(self.stored.chunks)) * self.stored.dtype.itemsize > cache

    def rewrite(self, number: int, samples: np.ndarray) -> None:
        """Store a frame in its place, or its chunks in new ones, and sync the file."""
        self.stored.write_direct(np.ascontiguousarray(samples), None, np.s_[number])
        self.stored.file.flush()
        os.fsync(self.stored.file.id.get_vfd_handle())


@contextmanager
def opened(store: Store, sequence: Sequence, target: Path, writes: bool) -> Iterator[Hdf5]:
    """The file; raises OSError where it is damaged, FilterMissingError where it lacks a filter."""
    with h5py.File(target, "r+" if writes else "r") as file:
        found = Hdf5(sequence, file[DATASET])
        _require(store.filters, found.filters().__contains__, "the file has")
        yield found


def _require(filters: tuple[int, ...], known: Callable[[int], bool], where: str) -> None:
    for number in filters:
        if not known(number):
            raise FilterMissingError(f"{where} no filter {number}")
