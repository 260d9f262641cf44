"""The mark in the picture: read back after every codec and content, and never believed when it is damaged."""

import numpy as np
import pytest

from spindlemark.families.live_video import frame_mark, live_codecs, picture_ring
from spindlemark.families.shared.media import pictures

WIDTH, HEIGHT, RATE = 960, 128, 30


def test_it_is_read_as_it_was_drawn():
    luma = np.zeros((HEIGHT, WIDTH), np.uint8)
    for number, captured in ((0, 0), (2**32 - 1, 2**48 - 1), (1234, 987654321)):
        frame_mark.burn(luma, number, captured)
        assert frame_mark.read(luma) == frame_mark.Mark(number, captured)


def test_a_damaged_one_is_none():
    luma = np.zeros((HEIGHT, WIDTH), np.uint8)
    frame_mark.burn(luma, 7, 8)
    for row, column in ((0, 0), (0, 55), (1, 0), (1, 55)):
        damaged = luma.copy()
        cell = (
            slice(row * frame_mark.CELL, (row + 1) * frame_mark.CELL),
            slice(column * frame_mark.CELL, (column + 1) * frame_mark.CELL),
        )
        damaged[cell] = 255 - damaged[cell]
        assert frame_mark.read(damaged) is None
    assert frame_mark.read(np.full((HEIGHT, WIDTH), 128, np.uint8)) is None


@pytest.mark.parametrize("name", live_codecs.CODECS)
@pytest.mark.parametrize("content", pictures.CONTENTS)
def test_it_survives(name, content):
    codec = live_codecs.CODECS[name]
    clip = pictures.clip(content, WIDTH, HEIGHT)
    encoder, decoder = live_codecs.Encoder(codec, WIDTH, HEIGHT, RATE), live_codecs.Decoder(codec, WIDTH, HEIGHT)
    for number in range(3):
        picture = live_codecs.picture(codec, clip.frame(number))
        frame_mark.burn(live_codecs.luma(picture), number, 10**9 + number)
        [luma] = decoder.lumas(encoder.encode(picture, number))
        assert frame_mark.read(luma) == frame_mark.Mark(number, 10**9 + number)


def test_a_packet_that_is_cut_off_is_told_or_unreadable():
    codec = live_codecs.CODECS["speedhq"]
    picture = live_codecs.picture(codec, pictures.clip("noise", WIDTH, HEIGHT).frame(0))
    frame_mark.burn(live_codecs.luma(picture), 1, 1)
    packet = live_codecs.Encoder(codec, WIDTH, HEIGHT, RATE).encode(picture, 0)
    try:
        lumas = list(live_codecs.Decoder(codec, WIDTH, HEIGHT).lumas(packet[:20]))
    except live_codecs.Damaged:
        lumas = []
    assert all(frame_mark.read(luma) is None for luma in lumas)


def test_pictures_lead_into_each_other(tmp_path):
    assert [picture_ring.order(number, 4) for number in range(9)] == [0, 1, 2, 3, 2, 1, 0, 1, 2]
    picture_ring.draw(tmp_path, "smooth", WIDTH, HEIGHT, 1)
    held = picture_ring.held(tmp_path, WIDTH, HEIGHT)
    assert len(held) == picture_ring.MOST
    assert (held[3].luma == pictures.clip("smooth", WIDTH, HEIGHT).frame(3).luma).all()
