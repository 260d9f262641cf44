"""Packets over TCP: each with its length before it, to every watcher over a connection of its own."""

import socket
import struct
import threading
import time
from collections.abc import Iterator

from spindlemark.live.outlet import Outlet

# Bytes that may wait in the kernel unsent: its default would hold seconds of video on a slow link, and all would be late.
_UNSENT = 128 * 1024
_LENGTH = struct.Struct(">I")
_LOOK_SECONDS = 0.1
_CHUNK = 1 << 20


class Server:
    """Listens; whoever connects gets every packet from then on."""

    def __init__(self, address: str, port: int) -> None:
        self._listening = socket.create_server((address, port))
        self.outlets: list[Outlet] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def offer(self, packet: bytes, number: int) -> None:
        """Send a packet to all."""
        for outlet in list(self.outlets):
            outlet.offer(packet, number)

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)
            self.outlets.append(Outlet(lambda packet, _, to=connection: to.sendall(_LENGTH.pack(len(packet)) + packet)))


class Client:
    """One watcher's connection."""

    def __init__(self, address: str, port: int) -> None:
        self._connection = socket.create_connection((address, port), timeout=10)
        self._connection.settimeout(_LOOK_SECONDS)

    def packets(self, until: float) -> Iterator[bytes]:
        """Packets as they come, until that moment of CLOCK_MONOTONIC or until the sender ends."""
        kept = bytearray()
        while time.monotonic() < until:
            try:
                came = self._connection.recv(_CHUNK)
            except TimeoutError:
                continue
            if not came:
                return
            kept += came
            while len(kept) >= _LENGTH.size and len(kept) >= (size := _LENGTH.size + _LENGTH.unpack_from(kept)[0]):
                yield bytes(kept[_LENGTH.size:size])
                del kept[:size]
