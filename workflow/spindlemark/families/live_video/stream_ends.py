"""The two ends of a stream, whatever its codec and transport: what sends prepared pictures, and what yields lumas."""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from spindlemark.families.live_video.stream_setup import Setting
from spindlemark.families.shared.media.pictures import Frame

SRT_LATENCY_SECONDS = 0.12  # the library's own default


class Sender(Protocol):
    """Sends pictures that were prepared before."""

    def picture(self, frame: Frame) -> Any:
        """A frame as `send` takes it."""

    def luma(self, picture: Any) -> np.ndarray:
        """The luma of a prepared picture itself."""

    def send(self, picture: Any, number: int, captured: int) -> int:
        """Encode and send it; bytes of the packet, as far as they are known."""

    def dropped(self) -> int:
        """Packets so far that a watcher did not get, since too many waited for it."""


class Encoded:
    """A codec of FFmpeg over a transport that takes packets."""

    def __init__(self, setting: Setting) -> None:
        from spindlemark.families.live_video import live_codecs

        self._codecs, self._codec = live_codecs, live_codecs.CODECS[setting.codec]
        self._encoder = live_codecs.Encoder(self._codec, setting.width, setting.height, setting.rate)
        self._server = _server(setting)

    def picture(self, frame: Frame) -> Any:
        """Return the frame in the form that the codec takes."""
        return self._codecs.picture(self._codec, frame)

    def luma(self, picture: Any) -> np.ndarray:
        """Return the brightness of a picture, to draw the mark into."""
        return self._codecs.luma(picture)

    def send(self, picture: Any, number: int, captured: int) -> int:
        """Encode a picture and offer it to each watcher; returns its size in bytes."""
        packet = self._encoder.encode(picture, number)
        self._server.offer(packet, number)
        return len(packet)

    def dropped(self) -> int:
        """Return how many packets were dropped before they were sent."""
        return sum(outlet.dropped for outlet in self._server.outlets)


class Decoded:
    """What comes out of such a transport, decoded; None for a packet that could not be."""

    def __init__(self, setting: Setting) -> None:
        from spindlemark.families.live_video import live_codecs

        self._decoder = live_codecs.Decoder(live_codecs.CODECS[setting.codec], setting.width, setting.height)
        self._damaged = live_codecs.Damaged
        self._client = _client(setting)

    def lumas(self, until: float) -> Iterator[np.ndarray | None]:
        """Yield the brightness of each picture that arrives until the moment `until`, None for a damaged one."""
        for packet in self._client.packets(until):
            try:
                yield from self._decoder.lumas(packet)
            except self._damaged:
                yield None


def load(setting: Setting) -> None:
    """Load what a stream's codec and transport need, from any folder: afterwards no library is looked for any more."""
    if setting.transport == "omt":
        from spindlemark.families.live_video import omt

        omt.library(setting)
        return
    from spindlemark.families.live_video import live_codecs, tcp  # noqa: F401

    if setting.transport == "srt":
        from spindlemark.families.live_video import srt

        srt.Library()


def sender(setting: Setting) -> Sender:
    """The sender's end, listening."""
    if setting.transport == "omt":
        from spindlemark.families.live_video import omt

        return omt.Sender(setting)
    return Encoded(setting)


def watcher(setting: Setting) -> Any:
    """A watcher's end, connected: `lumas(until)` yields what comes."""
    if setting.transport == "omt":
        from spindlemark.families.live_video import omt

        return omt.Watcher(setting)
    return Decoded(setting)


def _server(setting: Setting) -> Any:
    if setting.transport == "srt":
        from spindlemark.families.live_video import srt

        return srt.server(setting.address, setting.port, SRT_LATENCY_SECONDS)
    from spindlemark.families.live_video import tcp

    return tcp.server(setting.address, setting.port)


def _client(setting: Setting) -> Any:
    """A connection, which is made again after a silence where the setting says so."""
    if setting.silent_seconds is None:
        return _connected(setting)
    from spindlemark.families.live_video.reconnecting import Reconnecting

    silent = setting.silent_seconds
    return Reconnecting(lambda: _connected(setting, connect_seconds=silent), silent)


def _connected(setting: Setting, **limits: float) -> Any:
    if setting.transport == "srt":
        from spindlemark.families.live_video import srt

        return srt.Client(setting.address, setting.port, SRT_LATENCY_SECONDS, **limits)
    from spindlemark.families.live_video import tcp

    return tcp.Client(setting.address, setting.port, **limits)
