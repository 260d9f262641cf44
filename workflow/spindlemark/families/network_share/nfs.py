"""NFS 4.0 (RFC 7530) over TCP, as much of it as reading and writing a file takes, one request at a time per connection.

Own code, since Debian's libnfs 4.0.0 reads by NFS 4 and cannot encode a write ("Failed to encode COMPOUND4args"), and
NFS 3 needs a portmapper. The file is not opened: reads and writes carry the anonymous state of section 9.1.4.3, which
a server takes as it takes them of NFS 3. Writes are unstable, as those of a kernel; the measurement has the server's
disk synced.
"""

import itertools
import os
import socket
import struct
from collections.abc import Sequence

from spindlemark.families.network_share.share_names import DATA, SHARE

PROGRAM, VERSION, COMPOUND = 100003, 4, 1
PUTFH, PUTROOTFH, LOOKUP, GETFH, READ, WRITE = 22, 24, 15, 10, 25, 38
ANONYMOUS = bytes(16)
UNSTABLE = 0
_LAST = 0x80000000  # of a record: no fragment follows
_UID = 65534
_numbers = itertools.count(1)


class NfsConnection:
    """One TCP connection, and the file handle of the shared file."""

    def __init__(self, address: str, port: int) -> None:
        self._socket = socket.create_connection((address, port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        steps = [struct.pack(">I", PUTROOTFH), *(operation(LOOKUP, opaque(name.encode())) for name in (SHARE, DATA))]
        results = self.call([*steps, struct.pack(">I", GETFH)])
        (length,) = struct.unpack_from(">I", results, 4 * 8)  # behind number and status of four operations
        self._handle = operation(PUTFH, opaque(bytes(results[36 : 36 + length])))

    def read_into(self, offset: int, view: memoryview) -> None:
        """See share_connection.Connection."""
        results = self.call([self._handle, operation(READ, ANONYMOUS + struct.pack(">QI", offset, len(view)))])
        (length,) = struct.unpack_from(
            ">I", results, 20
        )  # behind number and status of two operations, and "end of file"
        if length != len(view):
            raise EOFError(f"read at {offset}: {length} of {len(view)} bytes")
        view[:] = results[24 : 24 + length]

    def write(self, offset: int, view: memoryview) -> None:
        """See share_connection.Connection."""
        head = ANONYMOUS + struct.pack(">QII", offset, UNSTABLE, len(view))
        results = self.call([self._handle, operation(WRITE, head), view, bytes(-len(view) % 4)], operations=2)
        (written,) = struct.unpack_from(">I", results, 16)
        if written != len(view):
            raise OSError(f"write at {offset}: {written} of {len(view)} bytes")

    def close(self) -> None:
        """See share_connection.Connection."""
        self._socket.close()

    def call(self, parts: Sequence[bytes | memoryview], operations: int | None = None) -> memoryview:
        """Send a compound of the operations, and return their results; raises OSError when one of them failed."""
        number = next(_numbers) & 0xFFFFFFFF
        user = struct.pack(">IIIII", 0, 0, _UID, _UID, 0)  # stamp, no machine's name, user, group, no more groups
        head = (
            struct.pack(">IIIIII", number, 0, 2, PROGRAM, VERSION, COMPOUND)
            + struct.pack(">I", 1)
            + opaque(user)
            + struct.pack(">II", 0, 0)
            + struct.pack(">III", 0, 0, operations or len(parts))
        )
        length = len(head) + sum(len(part) for part in parts)
        self._send([struct.pack(">I", _LAST | length) + head, *parts])
        answer = self._answer()
        same, kind, state, _, verifier = struct.unpack_from(">IIIII", answer)
        (accepted,) = struct.unpack_from(">I", answer, 20 + verifier)
        if (same, kind, state, accepted) != (number, 1, 0, 0):
            raise OSError(f"the call was not accepted: {state}, {accepted}")
        status, tag = struct.unpack_from(">II", answer, 24 + verifier)
        if status:
            raise OSError(status if status < 100 else 5, f"NFS error {status}: {os.strerror(status)}")
        return answer[36 + verifier + tag :]

    def _send(self, parts: list[bytes | memoryview]) -> None:
        sent = self._socket.sendmsg(parts)
        for part in parts:  # what the socket did not take at once
            if sent < len(part):
                self._socket.sendall(memoryview(part)[sent:])
            sent = max(0, sent - len(part))

    def _answer(self) -> memoryview:
        """One record, of as many fragments as it comes in."""
        record, last = bytearray(), False
        while not last:
            (mark,) = struct.unpack(">I", self._exactly(4))
            last = bool(mark & _LAST)
            record = self._exactly(mark & ~_LAST) if last and not record else record + self._exactly(mark & ~_LAST)
        return memoryview(record)

    def _exactly(self, length: int) -> bytearray:
        data = bytearray(length)
        view, got = memoryview(data), 0
        while got < length:
            received = self._socket.recv_into(view[got:])
            if not received:
                raise ConnectionError("the server closed the connection")
            got += received
        return data


def opaque(data: bytes) -> bytes:
    """Length, bytes, and zeros up to a multiple of four."""
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def operation(number: int, arguments: bytes) -> bytes:
    """An operation of a compound."""
    return struct.pack(">I", number) + arguments
