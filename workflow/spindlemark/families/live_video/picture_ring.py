"""The pictures that are sent, drawn once before all trials and held in memory: senders show them over and over."""

from pathlib import Path

import numpy as np

from spindlemark.families.shared.media import pictures

NAME = "pictures"
# Of the drawn pictures: enough of them that none is drawn into while a codec still reads it.
MOST_BYTES, FEWEST, MOST = 192 * 1024 * 1024, 8, 50


def draw(folder: Path, content: str, width: int, height: int, seed: int) -> None:
    """Write the pictures of a content to `folder`; raises OSError, which names the file, where memory is full."""
    clip = pictures.clip(content, width, height, seed)
    count, target = min(max(MOST_BYTES // (2 * width * height), FEWEST), MOST), folder / NAME
    try:
        with target.open("wb") as file:
            file.writelines(frame.planar() for frame in clip.frames(count))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None


def held(folder: Path, width: int, height: int) -> list[pictures.Frame]:
    """The pictures in the order in which they are shown, each once."""
    every = np.memmap(folder / NAME, np.uint8, "r").reshape(-1, 2 * width * height)
    return [pictures.from_planar(data.data, width, height) for data in every]


def order(number: int, count: int) -> int:
    """Which of `count` pictures frame `number` shows: forwards, then backwards, so that nothing jumps."""
    place = number % (2 * count - 2)
    return place if place < count else 2 * count - 2 - place
