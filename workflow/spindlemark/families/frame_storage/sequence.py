"""A sequence of camera frames, drawn by seed: what is stored, and the SHA-256 of all that must come back.

A frame is height x width x 3 samples of red, green and blue, from the contents of `media.pictures`. With 8 bits they
are those. With 12 bits, in words of 16, each level is 16 levels, and the noise of a sensor covers it: it fills
the lower bits of a camera's words, and no filter can make it smaller.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spindlemark.families.shared.media import pictures
from spindlemark.families.shared.media.pictures import planes

SAMPLES, DIGESTS = "samples.raw", "digests.json"
DISTINCT = 48  # different frames of a long sequence, which repeats them: ten seconds of 4K are more than the memory
SIXTHS = 6  # a tile, and the patch that is read, are a sixth of the frame high and wide
_NOISE = 8.0  # standard deviation of a sensor's noise, in levels of 4095
_WORD = 9  # of the random numbers of noise; contents have others


@dataclass(frozen=True)
class Sequence:
    """How many frames, and what one of them is; `bits` are 8, or 12 in words of 16."""

    frames: int
    height: int
    width: int
    bits: int

    @property
    def dtype(self) -> np.dtype:
        """Of a sample, little endian."""
        return np.dtype("u1" if self.bits == 8 else "<u2")

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns and colours of a frame."""
        return self.height, self.width, 3

    @property
    def frame_bytes(self) -> int:
        """Bytes of a frame as it is."""
        return self.height * self.width * 3 * self.dtype.itemsize

    @property
    def payload(self) -> int:
        """Bytes of all frames as they are."""
        return self.frames * self.frame_bytes

    @property
    def distinct(self) -> int:
        """How many different frames there are."""
        return min(self.frames, DISTINCT)

    @property
    def patch(self) -> tuple[slice, slice]:
        """Rows and columns in the middle, where tiles meet: no place is dearer to a tiled store."""
        rows, columns = self.height // SIXTHS, self.width // SIXTHS
        top, left = (self.height - rows) // 2, (self.width - columns) // 2
        return slice(top, top + rows), slice(left, left + columns)


class Repeated:
    """All frames of a sequence, frames x height x width x 3, of which the different ones are in `samples`."""

    def __init__(self, samples: np.ndarray, frames: int) -> None:
        self.samples, self.dtype, self.shape = samples, samples.dtype, (frames, *samples.shape[1:])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, at: int | slice) -> np.ndarray:
        """One frame, which is not copied, or a copy of several."""
        if isinstance(at, slice):
            return self.samples[np.arange(len(self))[at] % len(self.samples)]
        return self.samples[range(len(self))[at] % len(self.samples)]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[number] for number in range(len(self)))


def draw(sequence: Sequence, content: str, seed: int, folder: Path) -> None:
    """Write the different frames one after the other into `folder`, and with them the digests of each and of its patch.

    Raises UserError for a content that is not known, OSError where there is no room.
    """
    clip = pictures.clip(content, sequence.width, sequence.height, seed)
    found: dict[str, list[str]] = {"frames": [], "patches": []}
    with (folder / SAMPLES).open("wb") as file:
        for number in range(sequence.distinct):
            frame = _camera(planes.shown(*clip.frame(number)), sequence, planes.random(seed, _WORD, number))
            file.write(frame.data)
            found["frames"].append(digest(frame))
            found["patches"].append(digest(frame[sequence.patch]))
    (folder / DIGESTS).write_text(json.dumps(found))


def drawn(sequence: Sequence, folder: Path) -> Repeated:
    """The frames that `draw` wrote, not copied."""
    different = np.memmap(folder / SAMPLES, sequence.dtype, "r", shape=(sequence.distinct, *sequence.shape))
    return Repeated(different, sequence.frames)


def digests(folder: Path, of: str) -> list[str]:
    """What each of the different `frames`, or of their `patches`, must have when it comes back."""
    return json.loads((folder / DIGESTS).read_text())[of]


def digest(samples: np.ndarray) -> str:
    """SHA-256 of the samples, row by row."""
    return hashlib.sha256(np.ascontiguousarray(samples).data).hexdigest()


def _camera(shown: np.ndarray, sequence: Sequence, random: np.random.Generator) -> np.ndarray:
    if sequence.bits == 8:
        return shown
    noise = _NOISE * random.standard_normal(shown.shape, np.float32)
    return np.clip(np.rint(16 * shown.astype(np.float32) + noise), 0, 4095).astype(sequence.dtype)
