"""Folders and new files by NFS 4.0 (RFC 7530): READDIR, and OPEN with its client identifier, COMMIT and CLOSE."""

import itertools
import os
import struct
import time
from collections.abc import Iterable
from pathlib import Path

from spindlemark.families.network_share.nfs import (
    ANONYMOUS,
    GETFH,
    LOOKUP,
    PUTFH,
    PUTROOTFH,
    READ,
    UNSTABLE,
    WRITE,
    NfsConnection,
    opaque,
    operation,
)
from spindlemark.families.network_share.share_connection import store_in_pieces
from spindlemark.families.network_share.share_names import SHARE

CLOSE, COMMIT, OPEN, OPEN_CONFIRM, READDIR, SETCLIENTID, SETCLIENTID_CONFIRM = 4, 5, 18, 20, 26, 35, 36
_RESULT = 8  # bytes of number and status of an operation
_STATE = 16  # bytes of a stateid
_MOST = 64 << 10  # bytes of one answer to READDIR
_WRITING, _DENY_NONE, _CREATE, _UNCHECKED, _CLAIM_NULL = 2, 0, 1, 0, 0
_CONFIRM = 2  # flag of a result of OPEN: the server wants OPEN_CONFIRM
_NO_ATTRIBUTES = struct.pack(">II", 0, 0)  # empty bitmap, and no values
_NO_CALLBACK = struct.pack(">I", 0x40000000) + opaque(b"tcp") + opaque(b"0.0.0.0.0.0") + struct.pack(">I", 1)


class NfsFolder(NfsConnection):
    """A connection that also lists folders, reads other files and creates files."""

    def __init__(self, address: str, port: int) -> None:
        super().__init__(address, port)
        self._client: int | None = None  # the server's number of this client, when files are created
        self._owners = itertools.count()

    def names(self, folder: str) -> list[str]:
        """See share_connection.Connection."""
        handle, cookie, verifier, found, last = self._handle_of(folder), 0, bytes(8), [], False
        while not last:
            request = struct.pack(">Q", cookie) + verifier + struct.pack(">III", _MOST, _MOST, 0)
            results = self.call([handle, operation(READDIR, request)])[2 * _RESULT :]
            verifier, place = bytes(results[:8]), 8
            while struct.unpack_from(">I", results, place)[0]:  # an entry follows
                cookie, length = struct.unpack_from(">QI", results, place + 4)
                found.append(bytes(results[place + 16 : place + 16 + length]).decode())
                place += 16 + length + -length % 4
                (words,) = struct.unpack_from(">I", results, place)
                (length,) = struct.unpack_from(">I", results, place + 4 + 4 * words)
                place += 8 + 4 * words + length + -length % 4
            last = bool(struct.unpack_from(">I", results, place + 4)[0])
        return found

    def store(self, file: Path) -> None:
        """See share_connection.Connection."""
        store_in_pieces(self, file)

    def read_head(self, path: str, view: memoryview) -> None:
        """See share_connection.Connection. As all reads here, without opening the file."""
        steps = [*_walk(path), operation(READ, ANONYMOUS + struct.pack(">QI", 0, len(view)))]
        results = self.call(steps)
        head = _RESULT * len(steps) + 4  # the last result begins with "end of file"
        (length,) = struct.unpack_from(">I", results, head)
        if length != len(view):
            raise EOFError(f"{path}: {length} of {len(view)} bytes")
        view[:] = results[head + 4 : head + 4 + length]

    def create(self, path: str, size: int, pieces: Iterable[memoryview]) -> None:
        """See share_connection.Connection. A kernel's client commits at the end too."""
        handle, state, turn = self._opened(path)
        place = 0
        for piece in pieces:
            head = state + struct.pack(">QII", place, UNSTABLE, len(piece))
            results = self.call([handle, operation(WRITE, head), piece, bytes(-len(piece) % 4)], operations=2)
            if (written := struct.unpack_from(">I", results, 2 * _RESULT)[0]) != len(piece):
                raise OSError(f"{path}: {written} of {len(piece)} bytes at {place}")
            place += len(piece)
        commit = operation(COMMIT, struct.pack(">QI", 0, 0))
        self.call([handle, commit, operation(CLOSE, struct.pack(">I", turn) + state)])

    def _opened(self, path: str) -> tuple[bytes, bytes, int]:
        """Create a file: the operation that selects it, its state, and the next number of its owner's requests."""
        folder, _, name = path.rpartition("/")
        owner = struct.pack(">Q", self._identified()) + opaque(f"{os.getpid()}-{next(self._owners)}".encode())
        how = struct.pack(">II", _CREATE, _UNCHECKED) + _NO_ATTRIBUTES
        request = struct.pack(">III", 0, _WRITING, _DENY_NONE) + owner + how
        request += struct.pack(">I", _CLAIM_NULL) + opaque(name.encode())
        walk = _walk(folder)
        results = self.call([*walk, operation(OPEN, request), struct.pack(">I", GETFH)])
        place = _RESULT * (len(walk) + 1)
        state = bytes(results[place : place + _STATE])
        place += _STATE + 20  # behind what the folder changed
        flags, words = struct.unpack_from(">II", results, place)
        place += 8 + 4 * words + 4 + _RESULT  # behind the attributes, "no delegation", and the head of GETFH
        (length,) = struct.unpack_from(">I", results, place)
        handle = operation(PUTFH, opaque(bytes(results[place + 4 : place + 4 + length])))
        if not flags & _CONFIRM:
            return handle, state, 1
        results = self.call([handle, operation(OPEN_CONFIRM, state + struct.pack(">I", 1))])
        return handle, bytes(results[2 * _RESULT : 2 * _RESULT + _STATE]), 2

    def _identified(self) -> int:
        """The server's number of this client, which it asks for once."""
        if self._client is None:
            name = f"{os.getpid()}-{time.monotonic_ns()}".encode()
            results = self.call([operation(SETCLIENTID, os.urandom(8) + opaque(name) + _NO_CALLBACK)])
            self._client = struct.unpack_from(">Q", results, _RESULT)[0]
            self.call([operation(SETCLIENTID_CONFIRM, bytes(results[_RESULT : _RESULT + 16]))])
        assert self._client is not None
        return self._client

    def _handle_of(self, folder: str) -> bytes:
        """The operation that selects a folder."""
        walk = _walk(folder)
        results = self.call([*walk, struct.pack(">I", GETFH)])
        (length,) = struct.unpack_from(">I", results, _RESULT * (len(walk) + 1))
        start = _RESULT * (len(walk) + 1) + 4
        return operation(PUTFH, opaque(bytes(results[start : start + length])))


def _walk(path: str) -> list[bytes]:
    """The operations that go from the root of the server to a path of the share."""
    parts = [SHARE, *path.split("/")] if path else [SHARE]
    return [struct.pack(">I", PUTROOTFH), *(operation(LOOKUP, opaque(name.encode())) for name in parts)]
