"""What all contents share: the range of samples, random numbers, and colours as video has them."""

import numpy as np

Planes = tuple[np.ndarray, np.ndarray, np.ndarray]
BLACK, WHITE, GREY = 16, 235, 128
LEAST, MOST = 16, 240  # of a colour difference


def random(seed: int, *words: int) -> np.random.Generator:
    """Random numbers of their own for each seed and purpose."""
    return np.random.Generator(np.random.SFC64([seed, *words]))


def colours(rgb: np.ndarray) -> np.ndarray:
    """N x 3 of red, green and blue in 0 to 1 -> n x 3 of luma, blue and red difference, uint8.

    ITU-R BT.709-6, items 3.2 to 3.4 and 4.6 (narrow range).
    """
    luma = rgb @ np.array([0.2126, 0.7152, 0.0722])
    blue, red = (rgb[:, 2] - luma) / 1.8556, (rgb[:, 0] - luma) / 1.5748
    found = np.stack([BLACK + 219 * luma, GREY + 224 * blue, GREY + 224 * red], 1)
    return np.clip(np.rint(found), LEAST, MOST).astype(np.uint8)


def shown(luma: np.ndarray, blue: np.ndarray, red: np.ndarray) -> np.ndarray:
    """Planes of 4:2:2 -> height x width x 3 of red, green and blue for a screen, uint8: `colours` the other way round."""
    y = (luma.astype(float) - BLACK) / 219
    b, r = (np.repeat((plane.astype(float) - GREY) / 224, 2, axis=1) for plane in (blue, red))
    first, last = y + 1.5748 * r, y + 1.8556 * b
    middle = (y - 0.2126 * first - 0.0722 * last) / 0.7152
    return np.rint(np.clip(np.stack([first, middle, last], 2), 0, 1) * 255).astype(np.uint8)
