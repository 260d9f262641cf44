"""The mark in the picture: read back after every codec and content, and never believed when it is damaged."""

import numpy as np
import pytest
from spindlemark.live import codecs, mark, ring
from spindlemark.media import pictures

WIDTH, HEIGHT, RATE = 960, 128, 30


def test_it_is_read_as_it_was_drawn():
    luma = np.zeros((HEIGHT, WIDTH), np.uint8)
    for number, captured in ((0, 0), (2**32 - 1, 2**48 - 1), (1234, 987654321)):
        mark.burn(luma, number, captured)
        assert mark.read(luma) == mark.Mark(number, captured)


def test_a_damaged_one_is_none():
    luma = np.zeros((HEIGHT, WIDTH), np.uint8)
    mark.burn(luma, 7, 8)
    for row, column in ((0, 0), (0, 55), (1, 0), (1, 55)):
        damaged = luma.copy()
        cell = (slice(row * mark.CELL, (row + 1) * mark.CELL), slice(column * mark.CELL, (column + 1) * mark.CELL))
        damaged[cell] = 255 - damaged[cell]
        assert mark.read(damaged) is None
    assert mark.read(np.full((HEIGHT, WIDTH), 128, np.uint8)) is None


@pytest.mark.parametrize("name", codecs.CODECS)
@pytest.mark.parametrize("content", pictures.CONTENTS)
def test_it_survives(name, content):
    codec = codecs.CODECS[name]
    clip = pictures.clip(content, WIDTH, HEIGHT)
    encoder, decoder = codecs.Encoder(codec, WIDTH, HEIGHT, RATE), codecs.Decoder(codec, WIDTH, HEIGHT)
    for number in range(3):
        picture = codecs.picture(codec, clip.frame(number))
        mark.burn(codecs.luma(picture), number, 10**9 + number)
        [luma] = decoder.lumas(encoder.encode(picture, number))
        assert mark.read(luma) == mark.Mark(number, 10**9 + number)


def test_a_packet_that_is_cut_off_is_told_or_unreadable():
    codec = codecs.CODECS["speedhq"]
    picture = codecs.picture(codec, pictures.clip("noise", WIDTH, HEIGHT).frame(0))
    mark.burn(codecs.luma(picture), 1, 1)
    packet = codecs.Encoder(codec, WIDTH, HEIGHT, RATE).encode(picture, 0)
    try:
        lumas = list(codecs.Decoder(codec, WIDTH, HEIGHT).lumas(packet[:20]))
    except codecs.Damaged:
        lumas = []
    assert all(mark.read(luma) is None for luma in lumas)


def test_pictures_lead_into_each_other(tmp_path):
    assert [ring.order(number, 4) for number in range(9)] == [0, 1, 2, 3, 2, 1, 0, 1, 2]
    ring.draw(tmp_path, "smooth", WIDTH, HEIGHT, 1)
    held = ring.held(tmp_path, WIDTH, HEIGHT)
    assert len(held) == ring.MOST
    assert (held[3].luma == pictures.clip("smooth", WIDTH, HEIGHT).frame(3).luma).all()
