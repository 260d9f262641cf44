"""Packets over SRT, by Debian's libsrt: datagrams that are sent again while that can still help.

In its live mode a message is one datagram; a packet is cut into as many as it needs, each with the number of the frame,
its own number and how many there are. What is not there after the latency that both ends agreed upon is given up.
"""

import atexit
import ctypes
import socket
import struct
import time
from collections.abc import Iterator
from functools import partial
from math import inf

from spindlemark.families.live_video import packets

LIBRARY = "libsrt-gnutls.so.1.5"
PACKAGE = "libsrt1.5-gnutls"
_HEAD = struct.Struct(">IHH")
_PAYLOAD = 1316 - _HEAD.size  # of a message in live mode
_RCVTIMEO, _LATENCY, _TRANSTYPE, _FC, _RCVBUF, _SNDBUF, _CONNTIMEO = 14, 23, 50, 4, 6, 5, 36
_LIVE, _CRITICAL = 0, 2
_WAITING = 64  # watchers that are not accepted yet
_WINDOW = 60_000  # datagrams on their way: 20 Mbit and more in the latency
_LOOK_MILLISECONDS = 100
_AGAIN_SECONDS, _ANSWER_SECONDS, _CONNECT_SECONDS = 0.1, 3.0, 10.0  # 3 s: the library's default


class _Address(ctypes.Structure):
    _fields_ = [
        ("family", ctypes.c_ushort),
        ("port", ctypes.c_ubyte * 2),
        ("host", ctypes.c_ubyte * 4),
        ("zero", ctypes.c_ubyte * 8),
    ]


class Library:
    """The library, started. Raises OSError where it is not here."""

    def __init__(self) -> None:
        self.calls = ctypes.CDLL(LIBRARY)
        self.calls.srt_getlasterror_str.restype = ctypes.c_char_p
        self.calls.srt_startup()
        atexit.register(self.calls.srt_cleanup)  # ends its threads, which else crash now and then as the process ends
        self.calls.srt_setloglevel(_CRITICAL)

    def opened(self, latency_seconds: float) -> int:
        """A new socket in live mode."""
        made = self.done(self.calls.srt_create_socket())
        for option, value in (
            (_TRANSTYPE, _LIVE),
            (_LATENCY, round(1000 * latency_seconds)),
            (_FC, _WINDOW),
            (_RCVBUF, _WINDOW * 1456),
            (_SNDBUF, _WINDOW * 1456),
        ):
            self.set(made, option, value)
        return made

    def set(self, made: int, option: int, value: int) -> None:
        """Set a whole number of a socket."""
        given = ctypes.c_int(value)
        self.done(self.calls.srt_setsockflag(made, option, ctypes.byref(given), ctypes.sizeof(given)))

    def done(self, result: int) -> int:
        """What a call returned; raises OSError with the library's words where it failed."""
        if result < 0:
            raise OSError(self.calls.srt_getlasterror_str().decode())
        return result


def server(address: str, port: int, latency_seconds: float) -> packets.Server:
    """Listens there. Raises OSError with the library's words."""
    library = Library()
    listening, place = library.opened(latency_seconds), _address(address, port)
    library.done(library.calls.srt_bind(listening, ctypes.byref(place), ctypes.sizeof(place)))
    library.done(library.calls.srt_listen(listening, _WAITING))

    def accepted() -> Iterator[packets.Write]:
        while (connection := library.calls.srt_accept(listening, None, None)) >= 0:
            yield partial(_send, library, connection)

    return packets.Server(accepted())


def _send(library: Library, to: int, packet: bytes, number: int) -> None:
    parts = -(-len(packet) // _PAYLOAD)
    for part in range(parts):
        message = _HEAD.pack(number, part, parts) + packet[part * _PAYLOAD : (part + 1) * _PAYLOAD]
        library.done(library.calls.srt_sendmsg(to, message, len(message), -1, 1))


class Client:
    """One watcher's connection."""

    def __init__(
        self, address: str, port: int, latency_seconds: float, connect_seconds: float = _CONNECT_SECONDS
    ) -> None:
        self._library = Library()
        self._connection = self._connected(_address(address, port), latency_seconds, connect_seconds)

    def close(self) -> None:
        """End the connection."""
        self._library.calls.srt_close(self._connection)

    def packets(self, until: float, silent_seconds: float = inf) -> Iterator[bytes]:
        """Whole packets as they come, until that moment of CLOCK_MONOTONIC, until the sender ends, or until nothing came for so long."""
        held = ctypes.create_string_buffer(_HEAD.size + _PAYLOAD)
        frame, parts, last = -1, list[bytes](), time.monotonic()
        while time.monotonic() < min(until, last + silent_seconds):
            size = self._library.calls.srt_recvmsg(self._connection, held, len(held))
            if size == 0:
                return
            if size < 0:
                if b"time" not in self._library.calls.srt_getlasterror_str().lower():
                    return
                continue
            last = time.monotonic()
            number, part, count = _HEAD.unpack_from(held)
            if part == 0:
                frame, parts = number, []
            if number == frame and part == len(parts):
                parts.append(held.raw[_HEAD.size : size])
                if len(parts) == count:
                    yield b"".join(parts)

    def _connected(self, place: _Address, latency_seconds: float, connect_seconds: float) -> int:
        """A connection; a refused one is tried again for a while, since the path may need a moment."""
        limit = time.monotonic() + connect_seconds
        while True:
            made = self._library.opened(latency_seconds)
            self._library.set(made, _CONNTIMEO, round(1000 * min(_ANSWER_SECONDS, connect_seconds)))
            try:
                self._library.done(self._library.calls.srt_connect(made, ctypes.byref(place), ctypes.sizeof(place)))
            except OSError:
                self._library.calls.srt_close(made)
                if time.monotonic() > limit:
                    raise
                time.sleep(_AGAIN_SECONDS)
                continue
            self._library.set(made, _RCVTIMEO, _LOOK_MILLISECONDS)
            return made


def version() -> str:
    """The library's version; raises OSError where it is not here."""
    number = ctypes.CDLL(LIBRARY).srt_getversion()
    return ".".join(str(number >> shift & 0xFF) for shift in (16, 8, 0))


def _address(address: str, port: int) -> _Address:
    return _Address(
        socket.AF_INET, (ctypes.c_ubyte * 2)(*port.to_bytes(2, "big")), (ctypes.c_ubyte * 4)(*socket.inet_aton(address))
    )
