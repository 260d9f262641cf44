"""Natural motion: what a camera sees that pans over one layer while another moves in front of it.

Opaque discs whose radii follow a power law of -3, one over the other, have edges and structure on all scales in the
proportions of photographs (the dead leaves model; Lee, Mumford and Huang 2001). Each disc has a texture of its own.
"""

from collections.abc import Callable

import numpy as np

from spindlemark.families.shared.media.pictures.planes import Planes, colours, random

REACH = 64  # pixels that the camera moves to each side
SMALLEST = 3  # radius
COVERED = 6  # times that the discs would cover the picture without overlapping
FEW = 20  # discs of a radius that are drawn one by one
GRAIN = 2  # of the sensor, levels to each side
PANS = ((1.0, 211, 173), (-1.0, 151, 241))  # direction of each layer, and frames of its swing across and down


def natural(width: int, height: int, seed: int) -> Callable[[int], Planes]:
    """Two layers that swing against each other; the front one has holes."""
    across, down = width + 2 * REACH, height + 2 * REACH
    back, front = (_layer(across, down, seed, n) for n in (0, 1))
    holes = _holes(across, down, seed)
    grain = random(seed, 3).integers(-GRAIN, GRAIN + 1, (height + REACH, width + REACH), np.int16)

    def paint(number: int) -> Planes:
        (x0, y0), (x1, y1) = (_place(number, *pan) for pan in PANS)
        shift, step = random(seed, 4, number).integers(0, REACH, 2)
        open_ = holes[y1 : y1 + height, x1 : x1 + width]
        luma = np.where(open_, back[0][y0 : y0 + height, x0 : x0 + width], front[0][y1 : y1 + height, x1 : x1 + width])
        luma = (luma + grain[shift : shift + height, step : step + width]).astype(np.uint8)
        colour = (
            np.where(
                open_[:, ::2],
                b[y0 : y0 + height, x0 // 2 : (x0 + width) // 2],
                f[y1 : y1 + height, x1 // 2 : (x1 + width) // 2],
            )
            for b, f in zip(back[1:], front[1:], strict=True)
        )
        return luma, *colour

    return paint


def _place(number: int, way: float, across: int, down: int) -> tuple[int, int]:
    """Where the camera looks in a layer; even across, so that colour moves with luma."""
    x = REACH * (1 + way * np.sin(2 * np.pi * number / across))
    y = REACH * (1 + way * np.sin(2 * np.pi * number / down))
    return int(x) // 2 * 2, int(y)


def _layer(width: int, height: int, seed: int, layer: int) -> Planes:
    """Discs, the last one on top; luma as int16 with room for grain, and colour at half the width."""
    draw = random(seed, 5, layer)
    radii = _radii(draw, width, height)
    palette = colours(np.clip(draw.beta(2, 3, (radii.size, 1)) + draw.normal(0, 0.12, (radii.size, 3)), 0, 1))
    contrast = draw.integers(0, 4, radii.size)  # how strong the texture of a disc is
    owner = _owners(draw.integers(0, width, radii.size), draw.integers(0, height, radii.size), radii, width, height)
    luma = palette[owner, 0].astype(np.int16)
    luma += contrast[owner].astype(np.int16) * draw.integers(-3, 4, (height, width), np.int16)
    blue, red = (palette[owner[:, ::2], n] for n in (1, 2))
    return np.clip(_soft(luma), 20, 230), blue, red


def _owners(x: np.ndarray, y: np.ndarray, radii: np.ndarray, width: int, height: int) -> np.ndarray:
    """Number of the last disc at each pixel; the many small ones are drawn together, all of a radius at once."""
    edge = int(radii.max())
    owner = np.zeros((height + 2 * edge, width + 2 * edge), np.int32)
    for r in np.unique(radii):
        numbers = np.flatnonzero(radii == r)
        rows, columns = np.mgrid[-r : r + 1, -r : r + 1]
        inside = rows**2 + columns**2 <= r * r
        if len(numbers) < FEW:
            for n in numbers:
                place = owner[y[n] + edge - r : y[n] + edge + r + 1, x[n] + edge - r : x[n] + edge + r + 1]
                np.maximum(place, n, out=place, where=inside)
        else:
            at = (y[numbers] + edge) * owner.shape[1] + x[numbers] + edge
            places = at[:, None] + (rows * owner.shape[1] + columns)[inside]
            np.maximum.at(owner.reshape(-1), places.ravel(), np.repeat(numbers, places.shape[1]).astype(np.int32))
    return owner[edge : edge + height, edge : edge + width]


def _radii(draw: np.random.Generator, width: int, height: int) -> np.ndarray:
    """Enough discs to cover the layer several times, radii between SMALLEST and a fifth of the height."""
    largest = max(SMALLEST + 1, height // 5)
    share = draw.random(width * height // 40)
    radii = 1 / np.sqrt(share / largest**2 + (1 - share) / SMALLEST**2)  # inverse of the distribution of r^-3
    enough = np.searchsorted(np.cumsum(np.pi * radii**2), COVERED * width * height) + 1
    return radii[:enough].astype(np.int64)


def _holes(width: int, height: int, seed: int) -> np.ndarray:
    """Where the back shows through: about half of the layer, in large round shapes."""
    draw = random(seed, 6)
    found = np.ones((height, width), bool)
    rows, columns = np.ogrid[:height, :width]
    for x, y, r in draw.random((12, 3)):
        radius = height * (0.06 + 0.16 * r)
        found &= (rows - y * height) ** 2 + (columns - x * width) ** 2 > radius**2
    return found


def _soft(plane: np.ndarray) -> np.ndarray:
    """What a lens makes of hard edges: each sample with a quarter of its neighbours, across and down."""
    for axis in (0, 1):
        plane = (2 * plane + np.roll(plane, 1, axis) + np.roll(plane, -1, axis)) // 4
    return plane
