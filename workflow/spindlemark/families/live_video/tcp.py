"""Packets over TCP: each with its length before it, to every watcher over a connection of its own."""

import socket
import struct
import time
from collections.abc import Iterator
from functools import partial
from math import inf

from spindlemark.families.live_video import packets

# Bytes that may wait in the kernel unsent: its default would hold seconds of video on a slow link, and all would be late.
_UNSENT = 128 * 1024
_LENGTH = struct.Struct(">I")
_CONNECT_SECONDS, _LOOK_SECONDS = 10.0, 0.1
_CHUNK = 1 << 20


def server(address: str, port: int) -> packets.Server:
    """Listens there."""
    listening = socket.create_server((address, port))

    def accepted() -> Iterator[packets.Write]:
        while True:
            connection, _ = listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)
            yield partial(_send, connection)

    return packets.Server(accepted())


def _send(to: socket.socket, packet: bytes, _number: int) -> None:
    to.sendall(_LENGTH.pack(len(packet)) + packet)


class Client:
    """One watcher's connection."""

    def __init__(self, address: str, port: int, connect_seconds: float = _CONNECT_SECONDS) -> None:
        self._connection = socket.socket()
        self._connection.settimeout(connect_seconds)
        self._connection.connect((address, port))  # a number: what looks up names is not loaded
        self._connection.settimeout(_LOOK_SECONDS)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def packets(self, until: float, silent_seconds: float = inf) -> Iterator[bytes]:
        """Packets as they come, until that moment of CLOCK_MONOTONIC, until the sender ends, or until nothing came for so long."""
        kept, last = bytearray(), time.monotonic()
        while time.monotonic() < min(until, last + silent_seconds):
            try:
                came = self._connection.recv(_CHUNK)
            except TimeoutError:
                continue
            last = time.monotonic()
            if not came:
                return
            kept += came
            while len(kept) >= _LENGTH.size and len(kept) >= (size := _LENGTH.size + _LENGTH.unpack_from(kept)[0]):
                yield bytes(kept[_LENGTH.size : size])
                del kept[:size]
