"""Moving pictures: the same samples everywhere, in the range of video, and each content as hard as it says."""

import hashlib
import zlib

import numpy as np
import pytest

from spindlemark.core.errors import UserError
from spindlemark.families.shared.media import pictures

# Of frames 0 and 9, 320 x 180, seed 1. Who changes one changes what families measure, and raises their METHOD.
SUMS = {
    "smooth": "f9a7d5b9d900002a",
    "natural": "fd0253b7d95e3a45",
    "text": "08e3fe5548a6e81f",
    "lines": "61042ef719cbda35",
    "confetti": "0a4b0e17a9a5668b",
    "noise": "a3dbc2f88301a3c2",
}


@pytest.mark.parametrize("content", pictures.CONTENTS)
def test_the_same_words_give_the_same_samples(content):
    clip = pictures.clip(content, 320, 180)
    late, first = clip.frame(9), clip.frame(0)
    assert hashlib.sha256(first.planar() + late.planar()).hexdigest()[:16] == SUMS[content]
    assert clip.frame(9).planar() == late.planar(), "in any order"
    assert first.planar() != late.planar(), "it moves"


@pytest.mark.parametrize("content", pictures.CONTENTS)
@pytest.mark.parametrize("size", [(32, 32), (322, 182)])
def test_samples_are_video(content, size):
    for frame in pictures.clip(content, *size, seed=2).frames(3):
        assert frame.luma.shape == size[::-1] and frame.blue.shape == frame.red.shape == (size[1], size[0] // 2)
        assert frame.luma.min() >= 16 and frame.luma.max() <= 235
        assert all(plane.min() >= 16 and plane.max() <= 240 for plane in frame[1:])


def test_a_frame_is_its_receivers_own():
    clip = pictures.clip("text", 320, 180)
    before = clip.frame(3).planar()
    clip.frame(3).luma[:] = 16
    assert clip.frame(3).planar() == before


def test_both_layouts_hold_the_same_samples():
    frame = pictures.clip("confetti", 320, 180).frame(4)
    packed = frame.packed()
    assert packed.shape == (180, 640)
    assert np.array_equal(packed[:, 1::2], frame.luma) and np.array_equal(packed[:, 2::4], frame.red)
    again = pictures.from_planar(frame.planar(), 320, 180)
    assert all(np.array_equal(a, b) for a, b in zip(frame, again, strict=True))
    with pytest.raises(ValueError, match="not a frame of 320 x 180"):
        pictures.from_planar(frame.planar()[1:], 320, 180)


def test_noise_holds_the_most_and_smooth_the_least():
    """What changes from one frame to the next, as a general compressor packs it: the order is what they are for."""
    packed = {}
    for content in pictures.CONTENTS:
        clip = pictures.clip(content, 640, 360)
        change = clip.frame(11).luma - clip.frame(10).luma
        packed[content] = len(zlib.compress(change.tobytes()))
    assert max(packed, key=packed.get) == "noise"
    assert packed["smooth"] < packed["natural"] and packed["confetti"] < packed["natural"] < packed["noise"]


def test_lines_move_by_a_pixel():
    clip = pictures.clip("lines", 320, 180)
    before, after = clip.frame(0).luma, clip.frame(1).luma
    assert np.array_equal(before[:, :100], after[:, 1:101]), "upright ones to the right"
    assert np.array_equal(before[:-1, 220:], after[1:, 220:]), "level ones down"


@pytest.mark.parametrize(
    ("words", "match"),
    [(("snow", 320, 180), "no 'snow'"), (("text", 321, 180), "321 x 180"), (("text", 320, 16), "320 x 16")],
)
def test_what_cannot_be_drawn_is_refused(words, match):
    with pytest.raises(UserError, match=match):
        pictures.clip(*words)
