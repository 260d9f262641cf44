"""Frames on a disk: written in one of the ways of storing, read back as a whole or in part, and one of them written again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.families.frame_storage import hdf5_file, matroska_file, separate_files, tar_file, zarr_store
from spindlemark.families.frame_storage.layouts import STORES
from spindlemark.families.frame_storage.sequence import Repeated, Sequence
from spindlemark.families.frame_storage.stored_frames import Frames


def write(store: str, sequence: Sequence, samples: Repeated, target: Path) -> None:
    """Store frames x height x width x 3 as `target`, a folder or a file. Raises OSError, ValueError and FilterMissingError."""
    way = STORES[store]
    if way.kind == "hdf5":
        hdf5_file.write(way, samples, target)
    elif way.kind == "tar":
        tar_file.write(sequence, samples, target)
    elif way.kind == "ffv1":
        matroska_file.write(sequence, samples, target)
    elif way.kind == "zarr":
        zarr_store.write(sequence, samples, target)
    else:
        separate_files.write(way.kind, sequence, samples, target)


@contextmanager
def opened(store: str, sequence: Sequence, target: Path, writes: bool = False) -> Iterator[Frames]:
    """What `write`, or h5repack, stored as `target`; with `writes` a frame can be written again.

    Raises OSError where it is damaged, ValueError where it holds others, FilterMissingError where it lacks a filter.
    """
    way = STORES[store]
    if way.kind == "hdf5":
        with hdf5_file.opened(way, sequence, target, writes) as found:
            yield found
    elif way.kind == "tar":
        with tar_file.opened(sequence, target) as found:
            yield found
    elif way.kind == "ffv1":
        with matroska_file.opened(sequence, target) as found:
            yield found
    elif way.kind == "zarr":
        yield zarr_store.Zarr(sequence, target)
    else:
        yield separate_files.FORMATS[way.kind](sequence, target)
