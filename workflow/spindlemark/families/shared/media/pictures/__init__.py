"""Moving pictures, made by a seed at the speed of memory: content from easy to hard for codecs.

A frame is 4:2:2 with 8 bits a sample, in the range of video (16 to 235 for luma) and the colours of BT.709: what live
video is, and what its codecs take. The same words give the same samples on every machine. METHOD of a family that
shows them must rise when a sample changes; a test holds their checksums.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spindlemark.core.errors import UserError
from spindlemark.families.shared.media.pictures import leaves, overlays, plain
from spindlemark.families.shared.media.pictures.planes import Planes

# Content -> what it is, in the order from what a codec likes to what breaks it, and what draws it.
_PAINTERS: dict[str, tuple[str, Callable[[int, int, int], Callable[[int], Planes]]]] = {
    "smooth": ("gradients of brightness and colour that drift", plain.smooth),
    "natural": ("overlapping leaves with texture under a moving camera, with the grain of a sensor", leaves.natural),
    "text": ("credits that roll", overlays.text),
    "lines": ("lines of one pixel, upright, slanting and level, moving by a pixel a frame", plain.lines),
    "confetti": ("thousands of small pieces of paper that fall", overlays.confetti),
    "noise": ("every sample at random, different in each frame", plain.noise),
}
CONTENTS = {name: description for name, (description, _) in _PAINTERS.items()}


class Frame(NamedTuple):
    """One picture: luma of height x width samples, and colour differences of height x width / 2; all uint8, all its own."""

    luma: np.ndarray
    blue: np.ndarray
    red: np.ndarray

    def planar(self) -> bytes:
        """The planes one after the other, what ffmpeg calls yuv422p."""
        return b"".join(plane.tobytes() for plane in self)

    def packed(self) -> np.ndarray:
        """Blue, luma, red, luma for each pair of pixels: UYVY, height x 2 width."""
        height, width = self.luma.shape
        found = np.empty((height, 2 * width), np.uint8)
        found[:, 1::2], found[:, 0::4], found[:, 2::4] = self.luma, self.blue, self.red
        return found


@dataclass(frozen=True)
class Clip:
    """A moving picture of any length: each frame can be drawn by itself, in any order."""

    width: int
    height: int
    paint: Callable[[int], Planes]

    def frame(self, number: int) -> Frame:
        """Frame `number`, from 0; what is done to its samples changes no other."""
        return Frame(*(np.array(plane, np.uint8, order="C") for plane in self.paint(number)))

    def frames(self, count: int) -> Iterator[Frame]:
        """The first `count` frames."""
        return (self.frame(number) for number in range(count))


def clip(content: str, width: int, height: int, seed: int = 1) -> Clip:
    """A moving picture of `content`; raises UserError naming what is not known or cannot be drawn."""
    if content not in _PAINTERS:
        raise UserError(f"config/experiments/: content: there is no {content!r}", f"use {', '.join(_PAINTERS)}")
    if width < 32 or height < 32 or width % 2 or height % 2:
        raise UserError(f"config/: a picture of {width} x {height}", "give it an even width and height of 32 or more")
    return Clip(width, height, _PAINTERS[content][1](width, height, seed))


def from_planar(data: bytes | memoryview, width: int, height: int) -> Frame:
    """The frame that `planar` wrote; raises ValueError when the bytes are not one frame."""
    luma, half = width * height, width * height // 2
    if len(data) != luma + 2 * half:
        raise ValueError(f"{len(data)} bytes are not a frame of {width} x {height}")
    every = np.frombuffer(data, np.uint8)
    return Frame(
        every[:luma].reshape(height, width),
        every[luma : luma + half].reshape(height, width // 2),
        every[luma + half :].reshape(height, width // 2),
    )
