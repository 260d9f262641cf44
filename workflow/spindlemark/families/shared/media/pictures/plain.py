"""Contents without objects: gradients, lines and noise."""

import itertools
from collections.abc import Callable

import numpy as np

from spindlemark.families.shared.media.pictures.planes import BLACK, GREY, WHITE, Planes, random

SMOOTH_PERIOD = 250  # frames
LINES = 3  # pixels from one line to the next; those that slant are one more apart
LINES_PERIOD = LINES * (LINES + 1)


def smooth(width: int, height: int, seed: int) -> Callable[[int], Planes]:
    """Waves as long as the picture in both directions, which drift at speeds of their own."""
    phases = random(seed, 1).random(6)

    def wave(size: int, strength: float, turns: float, phase: float) -> np.ndarray:
        angle = 2 * np.pi * (np.arange(size) / size + turns + phase)
        return np.rint(strength * np.sin(angle)).astype(np.int16)

    def paint(number: int) -> Planes:
        turns = number / SMOOTH_PERIOD
        planes = []
        for n, (across, middle, strength) in enumerate(
            ((width, 125, 50), (width // 2, GREY, 35), (width // 2, GREY, 35))
        ):
            level = wave(across, strength, turns * (n + 1), phases[2 * n])
            upright = wave(height, strength, -turns, phases[2 * n + 1])
            planes.append((middle + upright[:, None] + level[None, :]).astype(np.uint8))
        return tuple(planes)

    return paint


def lines(width: int, height: int, seed: int) -> Callable[[int], Planes]:
    """Three fields side by side, of upright, slanting and level lines; the seed has nothing to decide."""
    rows, columns = np.ogrid[: height + LINES_PERIOD, : width + LINES_PERIOD]
    drawn = np.concatenate(
        [
            np.broadcast_to(each, (rows.size, columns.size))[:, None]
            for each in (columns % LINES == 0, (rows + columns) % (LINES + 1) == 0, rows % LINES == 0)
        ],
        axis=1,
    )
    fields = np.where(drawn, np.uint8(WHITE), np.uint8(BLACK))
    edges = (0, width // 3, 2 * width // 3, width)
    grey = np.full((height, width // 2), GREY, np.uint8)

    def paint(number: int) -> Planes:
        start = LINES_PERIOD - number % LINES_PERIOD  # so that they move to the right and down
        luma = np.empty((height, width), np.uint8)
        for n, (left, right) in enumerate(itertools.pairwise(edges)):
            luma[:, left:right] = fields[start : start + height, n, start + left : start + right]
        return luma, grey, grey

    return paint


def noise(width: int, height: int, seed: int) -> Callable[[int], Planes]:
    """Every sample of all planes between black and white."""
    table = (BLACK + np.arange(256) * (WHITE - BLACK + 1) // 256).astype(np.uint8)

    def paint(number: int) -> Planes:
        drawn = table[np.frombuffer(random(seed, 2, number).bytes(2 * width * height), np.uint8)]
        luma, blue, red = np.split(drawn, (width * height, width * height * 3 // 2))
        return luma.reshape(height, width), blue.reshape(height, -1), red.reshape(height, -1)

    return paint
