"""What is left of pictures: the error of a raw file against another, where it is worst, and how that looks."""

import io
from base64 import b64encode
from dataclasses import dataclass
from math import inf, log10, sqrt
from pathlib import Path

import numpy as np
from PIL import Image

from spindlemark.core.lossless import LOSSLESS_DB
from spindlemark.families.shared.codecs.ffmpeg import Shape
from spindlemark.families.shared.media import pictures
from spindlemark.families.shared.media.pictures import planes as colours

CROP = 64  # pixels


@dataclass(frozen=True)
class Kept:
    """`error` is the root mean square over all samples of all planes, in levels.

    `frame`, `row` and `column` are the place of the square of CROP pixels whose luma suffered most.
    """

    error: float
    frame: int
    row: int
    column: int

    @property
    def psnr(self) -> float:
        """Peak signal-to-noise ratio in dB, for a peak of 255; LOSSLESS_DB at most."""
        return min(LOSSLESS_DB, 20 * log10(255 / self.error) if self.error else inf)


def compare(shape: Shape, decoded: Path, original: Path) -> Kept:
    """Compare frame by frame; raises ValueError when they do not hold equally many."""
    one, other = (np.memmap(path, np.uint8, "r") for path in (decoded, original))
    if one.size != other.size or one.size % shape.frame_bytes:
        raise ValueError(f"{one.size} bytes against {other.size}, in frames of {shape.frame_bytes}")
    total, worst = 0, (-1, 0, 0, 0)
    for number, start in enumerate(range(0, one.size, shape.frame_bytes)):
        part = slice(start, start + shape.frame_bytes)
        square = (one[part].astype(np.int32) - other[part]) ** 2
        total += int(square.sum(dtype=np.int64))
        worst = max(
            worst,
            (*_worst(square[: shape.frame_bytes // 2].reshape(shape.height, shape.width)), number),
            key=lambda found: found[0],
        )
    return Kept(sqrt(total / one.size), worst[3], worst[1], worst[2])


def _worst(square: np.ndarray) -> tuple[int, int, int]:
    """Sum, row and column of the worst square of CROP pixels, of those side by side from the top left."""
    rows, columns = (size // CROP for size in square.shape)
    sums = square[: rows * CROP, : columns * CROP].reshape(rows, CROP, columns, CROP).sum((1, 3), dtype=np.int64)
    row, column = divmod(int(sums.argmax()), columns)
    return int(sums[row, column]), row * CROP, column * CROP


def crop(shape: Shape, file: Path, kept: Kept) -> str:
    """The worst place of a raw file as PNG, in base64."""
    start = kept.frame * shape.frame_bytes
    frame = pictures.from_planar(np.fromfile(file, np.uint8, shape.frame_bytes, offset=start).tobytes(), *shape[:2])
    rows, columns = slice(kept.row, kept.row + CROP), slice(kept.column, kept.column + CROP)
    half = slice(kept.column // 2, (kept.column + CROP) // 2)
    written = io.BytesIO()
    rgb = colours.shown(frame.luma[rows, columns], frame.blue[rows, half], frame.red[rows, half])
    Image.fromarray(rgb).save(written, "PNG", optimize=True)
    return b64encode(written.getvalue()).decode("ascii")


def shift(shape: Shape, source: Path, target: Path, by: int) -> None:
    """Move every picture of a raw file by so many rows and twice as many columns, around its edges.

    A column of colour is two of luma wide; both then have another place in the blocks that codecs work on.
    """
    frames = np.fromfile(source, np.uint8).reshape(-1, shape.frame_bytes)
    luma, colour = shape.width * shape.height, shape.width * shape.height // 2
    moved = np.empty_like(frames)
    for begin, end, width, across in (
        (0, luma, shape.width, 2),
        (luma, luma + colour, shape.width // 2, 1),
        (luma + colour, None, shape.width // 2, 1),
    ):
        plane = frames[:, begin:end].reshape(-1, shape.height, width)
        moved[:, begin:end] = np.roll(plane, (by, across * by), (1, 2)).reshape(len(frames), -1)
    moved.tofile(target)
