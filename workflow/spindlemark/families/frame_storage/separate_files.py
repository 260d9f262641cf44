"""One file for each frame: its samples alone, DPX, or OpenEXR."""

from pathlib import Path

import numpy as np
import OpenEXR

from spindlemark.families.frame_storage import dpx
from spindlemark.families.frame_storage.sequence import Repeated, Sequence
from spindlemark.families.frame_storage.stored_frames import plain, replaced


def write(kind: str, sequence: Sequence, samples: Repeated, folder: Path) -> None:
    """Write all frames into the new `folder`; raises ValueError for OpenEXR of 8 bits."""
    folder.mkdir()
    stored = FORMATS[kind](sequence, folder)
    for number, frame in enumerate(samples):
        stored.write(number, frame)


class _Separate:
    """What the formats have in common."""

    suffix = ""

    def __init__(self, sequence: Sequence, folder: Path) -> None:
        self.sequence, self.folder = sequence, folder

    def path(self, number: int) -> Path:
        """The file of a frame."""
        return self.folder / f"frame-{number:06d}.{self.suffix}"


class Raw(_Separate):
    """Files of samples alone."""

    suffix = "raw"

    def write(self, number: int, frame: np.ndarray) -> None:
        """Write the file of a frame."""
        self.path(number).write_bytes(np.ascontiguousarray(frame).data)

    def frame(self, number: int, into: np.ndarray) -> None:
        """Read a frame; raises ValueError for a file that is too short."""
        with self.path(number).open("rb", buffering=0) as file:
            if (got := file.readinto(into.data.cast("B"))) != into.nbytes:
                raise ValueError(f"{self.path(number).name} holds {got} of {into.nbytes} bytes")

    def patch(self, number: int, into: np.ndarray) -> None:
        """Read the rows of a patch."""
        frame = np.memmap(self.path(number), into.dtype, "r", shape=self.sequence.shape)
        into[:] = frame[self.sequence.patch]

    def least(self, numbers: list[int], patch: bool) -> int:
        """The samples themselves."""
        return plain(self.sequence, len(numbers), patch)

    def rewrite(self, number: int, samples: np.ndarray) -> None:
        """Replace the file of a frame."""
        replaced(self.path(number), np.ascontiguousarray(samples).data)


class Dpx(_Separate):
    """Files with a head of their own."""

    suffix = "dpx"

    def write(self, number: int, frame: np.ndarray) -> None:
        """Write the file of a frame."""
        with self.path(number).open("wb") as file:
            file.write(dpx.head(self.sequence))
            file.write(dpx.samples(frame))

    def frame(self, number: int, into: np.ndarray) -> None:
        """Read a frame; raises ValueError for another file."""
        dpx.read(self.path(number).read_bytes(), self.sequence, into)

    def patch(self, number: int, into: np.ndarray) -> None:
        """Read the rows of a patch."""
        order = into.dtype.newbyteorder(">")
        frame = np.memmap(self.path(number), order, "r", dpx.HEAD, self.sequence.shape)
        into[:] = frame[self.sequence.patch]

    def least(self, numbers: list[int], patch: bool) -> int:
        """The samples themselves."""
        return plain(self.sequence, len(numbers), patch)

    def rewrite(self, number: int, samples: np.ndarray) -> None:
        """Replace the file of a frame."""
        replaced(self.path(number), dpx.head(self.sequence) + dpx.samples(samples))


class Exr(_Separate):
    """OpenEXR with half floats, whose 16 bits are those of the samples: PIZ and readers treat them as any others."""

    suffix = "exr"

    def write(self, number: int, frame: np.ndarray) -> None:
        """Write the file of a frame; raises ValueError for samples of 8 bits."""
        self._written(frame, self.path(number))

    def frame(self, number: int, into: np.ndarray) -> None:
        """Read a frame."""
        into[:] = self._pixels(number)

    def patch(self, number: int, into: np.ndarray) -> None:
        """Read a frame, and take the patch out of it: the library reads whole files of scan lines."""
        into[:] = self._pixels(number)[self.sequence.patch]

    def least(self, numbers: list[int], patch: bool) -> int:
        """The files."""
        return sum(self.path(number).stat().st_size for number in numbers)

    def rewrite(self, number: int, samples: np.ndarray) -> None:
        """Replace the file of a frame."""
        other = self.folder / ".part.exr"
        self._written(samples, other)
        replaced(self.path(number), other.read_bytes())
        other.unlink()

    def _pixels(self, number: int) -> np.ndarray:
        with OpenEXR.File(str(self.path(number))) as file:
            found = file.channels()["RGB"].pixels.view(np.uint16)
        if found.shape != self.sequence.shape:
            raise ValueError(f"{self.path(number).name} holds {found.shape}")
        return found

    def _written(self, frame: np.ndarray, path: Path) -> None:
        if frame.dtype.itemsize != 2:
            raise ValueError("OpenEXR has no samples of 8 bits")
        head = {"compression": OpenEXR.PIZ_COMPRESSION, "type": OpenEXR.scanlineimage}
        with OpenEXR.File(head, {"RGB": np.ascontiguousarray(frame).view(np.float16)}) as file:
            file.write(str(path))


FORMATS: dict[str, type[Raw] | type[Dpx] | type[Exr]] = {"raw": Raw, "dpx": Dpx, "exr": Exr}
