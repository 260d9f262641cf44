"""Frames on a disk: written in one of the ways of storing, and read back as a whole or in part."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import h5py
import hdf5plugin  # noqa: F401 - makes its filters known to h5py
import numpy as np

from spindlemark.families.frame_storage.layouts import DATASET, LOOSE, STORES
from spindlemark.families.frame_storage.sequence import Sequence


class FilterMissingError(Exception):
    """The library has not, or the file does not have, a filter that the way of storing needs."""


class Frames(Protocol):
    """What is stored, opened for reading; both raise OSError or ValueError where it is damaged."""

    def frame(self, number: int, into: np.ndarray) -> None:
        """Read one whole frame."""

    def patch(self, number: int, into: np.ndarray) -> None:
        """Read the patch of one frame."""

    def least(self, patch: bool) -> int:
        """Bytes that a disk must give for all frames, or for the patch of each."""


def write(store: str, samples: np.ndarray, target: Path) -> None:
    """Store frames x height x width x 3 as `target`, a folder or a file. Raises OSError, and FilterMissingError."""
    if store == LOOSE:
        target.mkdir()
        for number, frame in enumerate(samples):
            _loose(target, number).write_bytes(frame.data)
        return
    way = STORES[store]
    _require(way.filters, h5py.h5z.filter_avail, "this HDF5 library has")
    with h5py.File(target, "w") as file:
        stored = file.create_dataset(
            DATASET, samples.shape, samples.dtype, chunks=way.chunk(samples.shape[1:]), **way.python
        )
        for number, frame in enumerate(samples):
            stored.write_direct(np.ascontiguousarray(frame), None, np.s_[number])


@contextmanager
def opened(store: str, sequence: Sequence, target: Path) -> Iterator[Frames]:
    """What `write`, or h5repack, stored as `target`.

    Raises OSError where it is damaged, ValueError where it holds others, FilterMissingError where it lacks a filter.
    """
    if store == LOOSE:
        yield _Loose(sequence, target)
        return
    with h5py.File(target, "r") as file:
        found = _Hdf5(sequence, file[DATASET])
        _require(STORES[store].filters, found.filters().__contains__, "the file has")
        yield found


def _require(filters: tuple[int, ...], known: Callable[[int], bool], where: str) -> None:
    for number in filters:
        if not known(number):
            raise FilterMissingError(f"{where} no filter {number}")


def _loose(folder: Path, number: int) -> Path:
    return folder / f"frame-{number:06d}.raw"


class _Loose:
    def __init__(self, sequence: Sequence, folder: Path) -> None:
        self.sequence, self.folder = sequence, folder

    def frame(self, number: int, into: np.ndarray) -> None:
        with _loose(self.folder, number).open("rb", buffering=0) as file:
            if (got := file.readinto(into.data.cast("B"))) != into.nbytes:
                raise ValueError(f"{_loose(self.folder, number).name} holds {got} of {into.nbytes} bytes")

    def patch(self, number: int, into: np.ndarray) -> None:
        frame = np.memmap(_loose(self.folder, number), into.dtype, "r", shape=self.sequence.shape)
        into[:] = frame[self.sequence.patch]

    def least(self, patch: bool) -> int:
        return _plain(self.sequence, patch)


class _Hdf5:
    def __init__(self, sequence: Sequence, stored: h5py.Dataset) -> None:
        if (stored.shape, stored.dtype) != ((sequence.frames, *sequence.shape), sequence.dtype):
            raise ValueError(f"the file holds {stored.shape} of {stored.dtype}")
        self.sequence, self.stored = sequence, stored

    def filters(self) -> set[int]:
        plist = self.stored.id.get_create_plist()
        return {plist.get_filter(n)[0] for n in range(plist.get_nfilters())}

    def frame(self, number: int, into: np.ndarray) -> None:
        self.stored.read_direct(into, np.s_[number])

    def patch(self, number: int, into: np.ndarray) -> None:
        self.stored.read_direct(into, np.s_[number, *self.sequence.patch])

    def least(self, patch: bool) -> int:
        if not self.stored.chunks:
            return _plain(self.sequence, patch)
        size, whole = self.stored.chunks[1:3], self.sequence.patch
        infos = (self.stored.id.get_chunk_info(n) for n in range(self.stored.id.get_num_chunks()))
        return sum(
            info.size
            for info in infos
            if not patch
            or all(
                start < part.stop and start + long > part.start
                for start, long, part in zip(info.chunk_offset[1:3], size, whole, strict=True)
            )
        )


def _plain(sequence: Sequence, patch: bool) -> int:
    rows, columns = sequence.patch
    share = (rows.stop - rows.start) * (columns.stop - columns.start) * 3 * sequence.dtype.itemsize
    return sequence.frames * (share if patch else sequence.frame_bytes)
