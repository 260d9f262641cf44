"""Codecs that code each frame by itself, by PyAV (FFmpeg's libraries): those that a live sender of today could choose.

Pictures are held in the codec's own layout before the trial, so that a frame costs what the codec costs. All processors
may work on slices of one frame; threads that each take a frame of their own are off, since each is a frame of delay.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import av
import numpy as np
from av.video.frame import VideoFrame

from spindlemark.families.shared.codecs.codecs import LIVE_QUANTISER
from spindlemark.families.shared.media.pictures import Frame


@dataclass(frozen=True)
class Codec:
    """Names of FFmpeg's encoder and decoder, the layout of pictures, the encoder's options, and the decoder's tag."""

    encoder: str
    decoder: str
    layout: str
    options: dict[str, str]
    tag: str = ""

    @property
    def words(self) -> list[str]:
        """The same for the program ffmpeg, which calls the profile of a video by another name."""
        named = {"profile": "profile:v"}
        options = [word for name, value in self.options.items() for word in (f"-{named.get(name, name)}", value)]
        return ["-c:v", self.encoder, "-pix_fmt", self.layout, *options, "-thread_type", "slice"]


Damaged = av.FFmpegError  # what decoding raises where a packet is damaged
_QUANTISER = {"qmin": LIVE_QUANTISER, "qmax": LIVE_QUANTISER}
CODECS = {
    "speedhq": Codec("speedhq", "speedhq", "yuv422p", _QUANTISER, "SHQ2"),
    "mjpeg": Codec("mjpeg", "mjpeg", "yuvj422p", _QUANTISER),
    "dnxhr": Codec("dnxhd", "dnxhd", "yuv422p", {"profile": "dnxhr_sq"}),
    "prores": Codec("prores", "prores", "yuv422p10le", {"profile": "2"}),
}


class Encoder:
    """Makes one packet of each prepared picture. Raises av.FFmpegError where the codec refuses it."""

    def __init__(self, codec: Codec, width: int, height: int, rate: int) -> None:
        self._context = _context(codec.encoder, "w")
        self._context.width, self._context.height, self._context.pix_fmt = width, height, codec.layout
        self._context.framerate, self._context.time_base = Fraction(rate), Fraction(1, rate)
        self._context.options = codec.options
        _by_slices(self._context)
        self._context.open()

    def encode(self, picture: VideoFrame, number: int) -> bytes:
        """The packet of one picture."""
        picture.pts = number
        return b"".join(bytes(packet) for packet in self._context.encode(picture))


class Decoder:
    """Decode packets to planes of luma."""

    def __init__(self, codec: Codec, width: int, height: int) -> None:
        self._context = _context(codec.decoder, "r")
        self._context.width, self._context.height = width, height  # packets of SpeedHQ have neither this
        if codec.tag:
            self._context.codec_tag = codec.tag  # nor that
        _by_slices(self._context)

    def lumas(self, packet: bytes) -> Iterator[np.ndarray]:
        """The luma of each picture in a packet, one as a rule; raises av.FFmpegError for a damaged one."""
        return (luma(picture) for picture in self._context.decode(av.Packet(packet)))


def picture(codec: Codec, frame: Frame) -> VideoFrame:
    """A frame in the layout of the codec."""
    height, width = frame.luma.shape
    made = VideoFrame(width, height, "yuv422p")
    for plane, samples in zip(made.planes, frame, strict=True):
        _samples(plane, np.uint8)[:, : samples.shape[1]] = samples
    if codec.layout == "yuvj422p":  # the same samples; the name alone says that their range is another
        full = VideoFrame(width, height, codec.layout)
        for plane, samples in zip(full.planes, frame, strict=True):
            _samples(plane, np.uint8)[:, : samples.shape[1]] = samples
        return full
    return made if codec.layout == "yuv422p" else made.reformat(format=codec.layout)


def luma(picture: VideoFrame) -> np.ndarray:
    """The plane of luma itself, so that what is drawn into it is in the picture."""
    deep = "10le" in picture.format.name
    return _samples(picture.planes[0], np.uint16 if deep else np.uint8)[:, : picture.width]


def has(codec: Codec) -> bool:
    """Whether this build of FFmpeg's libraries can encode and decode it."""
    try:
        return bool(av.Codec(codec.encoder, "w") and av.Codec(codec.decoder, "r"))
    except av.codec.codec.UnknownCodecError:
        return False


def _context(name: str, mode: Literal["r", "w"]) -> av.VideoCodecContext:
    found = av.CodecContext.create(name, mode)
    assert isinstance(found, av.VideoCodecContext), f"{name} codes video"
    return found


def _samples(plane: Any, kind: type) -> np.ndarray:
    return np.frombuffer(plane, kind).reshape(plane.height, -1)


def _by_slices(context: av.CodecContext) -> None:
    context.thread_type, context.thread_count = "SLICE", os.cpu_count() or 1
