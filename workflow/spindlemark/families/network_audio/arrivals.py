"""Packets with the time at which the kernel took them from the card, in nanoseconds of CLOCK_REALTIME."""

import socket
import struct

_TIMESTAMP_NS = 35  # SO_TIMESTAMPNS of linux/socket.h, which Python does not name
_TIME = struct.Struct("@qq")  # struct timespec
_ROOM = socket.CMSG_SPACE(_TIME.size)
_BUFFER_BYTES = 8 << 20
_RCVBUFFORCE = 33  # beyond the limit of other users; a right of root


def stamped(port: socket.socket) -> None:
    """Have the kernel stamp the packets of the socket, and hold many of them."""
    port.setsockopt(socket.SOL_SOCKET, _TIMESTAMP_NS, 1)
    try:
        port.setsockopt(socket.SOL_SOCKET, _RCVBUFFORCE, _BUFFER_BYTES)
    except PermissionError:
        port.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)


def receive(port: socket.socket, memory: bytearray) -> tuple[int, int]:
    """Receive one packet into `memory`: its bytes, and its time. Raises TimeoutError as the socket's time limit says."""
    size, extra, _, _ = port.recvmsg_into([memory], _ROOM)
    seconds, nanoseconds = _TIME.unpack_from(extra[0][2])
    return size, seconds * 10**9 + nanoseconds
