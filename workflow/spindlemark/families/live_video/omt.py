"""Open Media Transport by cyomtlib: codec (VMX) and transport in one, with a sender's and a receiver's side of its own."""

import os
import time
from collections.abc import Iterator
from types import ModuleType

import numpy as np

from spindlemark.families.live_video.stream_setup import Setting
from spindlemark.families.shared.codecs import vmx
from spindlemark.families.shared.media.pictures import Frame

_LOOK_MILLISECONDS = 100
_TICKS = 10  # of OMT's clock in a microsecond


def library(setting: Setting) -> ModuleType:
    """cyomtlib, loaded whole, with its settings in the stream's notes and not in a home folder, and without a log; raises ImportError."""
    os.environ["OMT_STORAGE_PATH"] = str(setting.notes)
    import cyomtlib

    cyomtlib.settings.set_log_file(None)
    return cyomtlib


class Sender:
    """Takes pictures as UYVY and sends them to all who are connected."""

    def __init__(self, setting: Setting) -> None:
        self._omt = library(setting)
        for name in ("NetworkPortStart", "NetworkPortEnd"):
            self._omt.settings.set_integer(name, setting.port)
        self._sender = self._omt.Sender(f"spindlemark-{setting.port}", self._omt.Quality[vmx.QUALITIES[vmx.LIVE]])
        self._size, self._rate = (setting.width, setting.height), setting.rate

    def picture(self, frame: Frame) -> np.ndarray:
        """A frame in the layout that OMT takes."""
        return frame.packed().reshape(self._size[1], self._size[0], 2)

    def luma(self, picture: np.ndarray) -> np.ndarray:
        """Its luma."""
        return picture[:, :, 1]

    def send(self, picture: np.ndarray, number: int, captured: int) -> int:
        """Send it. The sizes of packets are OMT's own matter: 0."""
        self._sender.send_video(picture, self._omt.Codec.UYVY, frame_rate=self._rate, timestamp=_TICKS * captured)
        return 0

    def dropped(self) -> int:
        """Frames that OMT says it dropped."""
        return self._sender.video_statistics.frames_dropped


class Watcher:
    """Receives and decodes."""

    def __init__(self, setting: Setting) -> None:
        self._omt = library(setting)
        self._receiver = self._omt.Receiver(
            f"omt://{setting.address}:{setting.port}", self._omt.FrameType.VIDEO, self._omt.PreferredVideoFormat.UYVY
        )

    def lumas(self, until: float) -> Iterator[np.ndarray | None]:
        """The luma of each picture until that moment of CLOCK_MONOTONIC; valid until the next one is asked for."""
        while time.monotonic() < until:
            frame = self._receiver.receive(self._omt.FrameType.VIDEO, _LOOK_MILLISECONDS, copy=False)
            if isinstance(frame, self._omt.VideoFrame):
                yield frame.packed()[:, :, 1]
