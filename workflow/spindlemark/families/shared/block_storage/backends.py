"""Where bytes are stored: a file, a server of network block devices, a web server. Each request is one call, and they never overlap.

Clients in the standard library and libnbd alone, so that a measured process holds little else. All raise OSError.
"""

import ctypes
import os
import socket
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Protocol

LIBNBD = "libnbd.so.0"


class Place(Protocol):
    """Bytes at offsets."""

    def read(self, offset: int, count: int) -> bytes:
        """Exactly `count` bytes at `offset`."""

    def write(self, offset: int, data: bytes) -> None:
        """Put all of `data` at `offset`."""

    def close(self) -> None:
        """Leave; what was written is on the device below."""


class Local:
    """A file, past Python's own buffer."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def read(self, offset: int, count: int) -> bytes:
        """See Place."""
        data = os.pread(self._file, count, offset)
        if len(data) != count:
            raise OSError(f"{count} bytes at {offset}: only {len(data)} are there")
        return data

    def write(self, offset: int, data: bytes) -> None:
        """See Place."""
        done = 0
        while done < len(data):
            done += os.pwrite(self._file, data[done:], offset + done)

    def close(self) -> None:
        """See Place."""
        os.fsync(self._file)
        os.close(self._file)


class Nbd:
    """A network block device at a Unix socket, by libnbd."""

    def __init__(self, at: Path) -> None:
        self._library = ctypes.CDLL(LIBNBD)
        self._library.nbd_create.restype = ctypes.c_void_p
        self._library.nbd_get_error.restype = ctypes.c_char_p
        self._handle = ctypes.c_void_p(self._library.nbd_create())
        self._done(self._library.nbd_connect_unix(self._handle, str(at).encode()), "connect")

    def read(self, offset: int, count: int) -> bytes:
        """See Place."""
        data = ctypes.create_string_buffer(count)
        arguments = (data, ctypes.c_size_t(count), ctypes.c_uint64(offset), ctypes.c_uint32(0))
        self._done(self._library.nbd_pread(self._handle, *arguments), f"read at {offset}")
        return data.raw

    def write(self, offset: int, data: bytes) -> None:
        """See Place."""
        arguments = (bytes(data), ctypes.c_size_t(len(data)), ctypes.c_uint64(offset), ctypes.c_uint32(0))
        self._done(self._library.nbd_pwrite(self._handle, *arguments), f"write at {offset}")

    def close(self) -> None:
        """See Place."""
        self._done(self._library.nbd_flush(self._handle, ctypes.c_uint32(0)), "flush")
        self._done(self._library.nbd_shutdown(self._handle, ctypes.c_uint32(0)), "shutdown")
        self._library.nbd_close(self._handle)

    def _done(self, result: int, what: str) -> None:
        if result:
            raise OSError(f"{what}: {(self._library.nbd_get_error() or b'').decode(errors='replace')}")


class Http:
    """A resource of a web server at a Unix socket, in ranges over one kept connection. It is read only."""

    def __init__(self, at: Path) -> None:
        self._connection = HTTPConnection("localhost", timeout=60)
        self._connection.sock = socket.socket(socket.AF_UNIX)
        self._connection.sock.connect(str(at))

    def read(self, offset: int, count: int) -> bytes:
        """See Place."""
        try:
            self._connection.request("GET", "/", headers={"Range": f"bytes={offset}-{offset + count - 1}"})
            answer = self._connection.getresponse()
            data = answer.read()
        except HTTPException as error:
            raise OSError(f"{count} bytes at {offset}: {type(error).__name__}: {error}") from None
        if answer.status != 206 or len(data) != count:
            raise OSError(f"{count} bytes at {offset}: the server answers {answer.status} with {len(data)} bytes")
        return data

    def write(self, offset: int, data: bytes) -> None:
        """Raises OSError: a range can be read, and not written."""
        raise OSError("no request of HTTP writes into a file")

    def close(self) -> None:
        """See Place."""
        self._connection.close()


KINDS: dict[str, Callable[[Path], Place]] = {"local": Local, "nbd": Nbd, "http": Http}
