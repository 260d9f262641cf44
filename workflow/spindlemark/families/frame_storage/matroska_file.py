"""One Matroska file with FFV1 version 3: each frame by itself, in slices with checksums, as archives keep films."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import av
import numpy as np

from spindlemark.core.sync_folder import sync_folder
from spindlemark.families.frame_storage.sequence import Repeated, Sequence
from spindlemark.families.frame_storage.stored_frames import DamagedError

RATE = 24
OPTIONS = {"level": "3", "slices": "16", "slicecrc": "1", "g": "1", "coder": "1", "context": "0"}


def write(sequence: Sequence, samples: Repeated, target: Path) -> None:
    """Encode all frames into one file."""
    with av.open(str(target), "w", format="matroska") as file:
        stream = _stream(file, sequence)
        for number, frame in enumerate(samples):
            for packet in stream.encode(_picture(frame, number)):
                file.mux(packet)
        for packet in stream.encode(None):
            file.mux(packet)


class Matroska:
    """The file. Frames are decoded in order, and after a seek where another one than the next is read."""

    def __init__(self, sequence: Sequence, target: Path, file: Any, messages: list[Any]) -> None:
        self.sequence, self.target, self.file, self.messages = sequence, target, file, messages
        self.stream = file.streams.video[0]
        self.stream.codec_context.options = {
            "err_detect": "crccheck+explode"
        }  # a wrong checksum of a slice is an error
        self.stream.thread_type = "SLICE"
        self.next, self.decoded = 0, file.decode(self.stream)

    def frame(self, number: int, into: np.ndarray) -> None:
        """Decode a frame; raises DamagedError where a checksum of a slice is wrong."""
        into[:] = self._decoded(number)

    def patch(self, number: int, into: np.ndarray) -> None:
        """Decode a frame, and take the patch out of it."""
        into[:] = self._decoded(number)[self.sequence.patch]

    def least(self, numbers: list[int], patch: bool) -> int:
        """The packets of the frames."""
        sizes = _sizes(self.target)
        return sum(sizes[number] for number in numbers)

    def rewrite(self, number: int, samples: np.ndarray) -> None:
        """Copy all packets but one to another file, which replaces this one: a packet cannot change its size in place."""
        other = self.target.with_name(f".{self.target.name}.part")
        with av.open(str(self.target)) as source, av.open(str(other), "w", format="matroska") as file:
            stream = _stream(file, self.sequence)
            made = list(chain(stream.encode(_picture(samples, number)), stream.encode(None)))
            for at, packet in enumerate(p for p in source.demux(source.streams.video[0]) if p.size):
                for one in made if at == number else [packet]:
                    one.stream = stream
                    file.mux(one)
        with other.open("rb+") as written:
            os.fsync(written.fileno())
        other.rename(self.target)
        sync_folder(self.target.parent)

    def _decoded(self, number: int) -> np.ndarray:
        if number != self.next or number == 0:
            self.file.seek(round(number / RATE / self.stream.time_base), stream=self.stream)
            self.decoded = self.file.decode(self.stream)
        for frame in self.decoded:
            found = round(float(frame.pts * self.stream.time_base) * RATE)
            if found >= number:
                break
            self.messages.clear()  # of a frame before it
        else:
            raise DamagedError(f"frame {number} is missing")
        if found != number or self.messages:
            self.next = -1
            words = [text.strip() for _, _, text in self.messages]
            self.messages.clear()
            raise DamagedError(f"frame {number} is damaged: {'; '.join(words) or 'another one came'}")
        self.next = number + 1
        return frame.to_ndarray(format="rgb24") if self.sequence.bits == 8 else frame.to_ndarray()


@contextmanager
def opened(sequence: Sequence, target: Path) -> Iterator[Matroska]:
    """The file, open for reading. FFmpeg reports a wrong checksum of a slice in its log alone, and conceals the slice."""
    level = av.logging.get_level()
    av.logging.set_level(av.logging.ERROR)
    try:
        with av.logging.Capture(local=False) as messages, av.open(str(target)) as file:
            yield Matroska(sequence, target, file, messages)
    finally:
        av.logging.set_level(level)


def _stream(file: Any, sequence: Sequence) -> Any:
    stream = file.add_stream("ffv1", rate=RATE, options=OPTIONS)
    stream.width, stream.height = sequence.width, sequence.height
    stream.pix_fmt = "bgr0" if sequence.bits == 8 else "gbrp12le"
    stream.thread_type = "SLICE"
    return stream


def _picture(frame: np.ndarray, number: int) -> av.VideoFrame:
    samples = np.ascontiguousarray(frame)
    if samples.dtype.itemsize == 1:
        picture = av.VideoFrame.from_ndarray(samples, format="rgb24").reformat(format="bgr0")
    else:
        picture = av.VideoFrame.from_ndarray(samples, format="gbrp12le")
    picture.pts = number
    return picture


def _sizes(target: Path) -> list[int]:
    with av.open(str(target)) as file:
        return [packet.size for packet in file.demux(file.streams.video[0]) if packet.size]
