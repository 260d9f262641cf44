"""One TAR file (POSIX ustar) with a DPX file for each frame."""

import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from spindlemark.families.frame_storage import dpx
from spindlemark.families.frame_storage.sequence import Repeated, Sequence
from spindlemark.families.frame_storage.stored_frames import plain


def write(sequence: Sequence, samples: Repeated, target: Path) -> None:
    """Write all frames to one file."""
    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as file:
        for number, frame in enumerate(samples):
            about = tarfile.TarInfo(f"frame-{number:06d}.dpx")
            about.size, about.mode = dpx.HEAD + sequence.frame_bytes, 0o644
            file.addfile(about, io.BytesIO(dpx.head(sequence) + dpx.samples(frame)))


class Tar:
    """The file, whose heads are read once to know where each frame is."""

    def __init__(self, sequence: Sequence, file: BinaryIO) -> None:
        self.sequence, self.file = sequence, file
        with tarfile.open(fileobj=file) as found:
            self.places = {member.name: member.offset_data for member in found}

    def frame(self, number: int, into: np.ndarray) -> None:
        """Read a frame; raises ValueError where its name or its head is missing."""
        size = dpx.HEAD + self.sequence.frame_bytes
        dpx.read(os.pread(self.file.fileno(), size, self._place(number)), self.sequence, into)

    def patch(self, number: int, into: np.ndarray) -> None:
        """Read the rows of a patch."""
        order = into.dtype.newbyteorder(">")
        at = self._place(number) + dpx.HEAD
        frame = np.memmap(self.file, order, "r", at, self.sequence.shape)
        into[:] = frame[self.sequence.patch]

    def least(self, numbers: list[int], patch: bool) -> int:
        """The samples themselves."""
        return plain(self.sequence, len(numbers), patch)

    def rewrite(self, number: int, samples: np.ndarray) -> None:
        """Write the samples in their place, as frames have one size."""
        place, content = self._place(number) + dpx.HEAD, memoryview(dpx.samples(samples))
        while content:
            done = os.pwrite(self.file.fileno(), content, place)
            place, content = place + done, content[done:]
        os.fsync(self.file.fileno())

    def _place(self, number: int) -> int:
        name = f"frame-{number:06d}.dpx"
        if name not in self.places:
            raise ValueError(f"the TAR file has no {name}")
        return self.places[name]


@contextmanager
def opened(sequence: Sequence, target: Path) -> Iterator[Tar]:
    """The file, open for reading and writing; tarfile.TarError where it is damaged."""
    with target.open("r+b", buffering=0) as file:
        try:
            yield Tar(sequence, file)
        except tarfile.TarError as error:
            raise ValueError(str(error)) from None
