"""Contents of small things: credits and confetti."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from spindlemark.families.shared.media.pictures.planes import BLACK, GREY, WHITE, Planes, colours, random

ROLL = 2  # pixels a frame
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PIECE = (4, 6)  # height and width of a piece of paper
SPACE = 300  # pixels of the picture for each piece


def text(width: int, height: int, seed: int) -> Callable[[int], Planes]:
    """White words in three sizes on a dark ground, rolling up; every fifth line has a colour."""
    draw = random(seed, 7)
    tall = 2 * height
    page = Image.new("L", (width, tall), BLACK)
    brush, top, line = ImageDraw.Draw(page), 0, 0
    blue, red = (np.full((tall, width // 2), GREY, np.uint8) for _ in range(2))
    while True:
        size = (max(10, height // 60), max(12, height // 40), max(16, height // 25))[line % 3]
        if top + size * 3 // 2 > tall:
            break
        brush.text((width // 40, top), _words(draw, width, size), fill=WHITE, font=ImageFont.load_default(size))
        if line % 5 == 4:
            tint = colours(draw.random((1, 3)))[0]
            written = np.asarray(page)[top : top + size * 3 // 2, ::2] > 2 * BLACK
            for plane, value in ((blue, tint[1]), (red, tint[2])):
                plane[top : top + size * 3 // 2][written] = value
        top, line = top + size * 3 // 2, line + 1
    planes = [np.concatenate([plane, plane[:height]]) for plane in (np.asarray(page), blue, red)]

    def paint(number: int) -> Planes:
        start = ROLL * number % tall
        luma, first, second = (plane[start : start + height] for plane in planes)
        return luma, first, second

    return paint


def _words(draw: np.random.Generator, width: int, size: int) -> str:
    """Words of letters at random, about as long as the line."""
    words: list[str] = []
    while sum(len(word) + 1 for word in words) < 1.7 * width / size:
        word = "".join(LETTERS[n] for n in draw.integers(0, len(LETTERS), draw.integers(2, 10)))
        words.append(word.capitalize() if draw.random() < 0.3 else word)
    return " ".join(words)


def confetti(width: int, height: int, seed: int) -> Callable[[int], Planes]:
    """Pieces of one size in all colours, each falling and drifting at its own speed."""
    draw = random(seed, 8)
    count = width * height // SPACE
    start = draw.random((count, 2)) * (height, width)
    speed = draw.uniform((1.0, -2.0), (7.0, 2.0), (count, 2))
    paints = colours(draw.random((count, 3)))
    rows, columns = (offset.ravel() for offset in np.mgrid[: PIECE[0], : PIECE[1]])

    def paint(number: int) -> Planes:
        at = (start + number * speed).astype(np.int64)
        y = (at[:, :1] + rows) % height
        x = (at[:, 1:] // 2 * 2 + columns) % width
        luma = np.full((height, width), 2 * BLACK, np.uint8)
        blue, red = (np.full((height, width // 2), GREY, np.uint8) for _ in range(2))
        luma[y, x] = paints[:, :1]
        blue[y, x // 2], red[y, x // 2] = paints[:, 1:2], paints[:, 2:]
        return luma, blue, red

    return paint
