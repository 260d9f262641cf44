"""WebDAV (RFC 4918) over HTTP/1.1: ranges of a file are read, whole files are written, each connection is kept.

There is no request that writes into the middle of a file: each request to write makes a file of its own, as those do
who upload in segments.
"""

import errno
import http.client
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from spindlemark.families.network_share.share_connection import PIECE
from spindlemark.families.network_share.share_names import DATA, PIECES, SHARE

_SECONDS = 60


class WebdavConnection:
    """One HTTP connection to the folder."""

    def __init__(self, address: str, port: int) -> None:
        self._http = http.client.HTTPConnection(address, port, timeout=_SECONDS, blocksize=PIECE)
        self._http.connect()

    def read_into(self, offset: int, view: memoryview) -> None:
        """See share_connection.Connection."""
        self._get(DATA, offset, view)

    def _get(self, path: str, offset: int, view: memoryview) -> None:
        self._http.request("GET", f"/{SHARE}/{path}", headers={"Range": f"bytes={offset}-{offset + len(view) - 1}"})
        answer = self._http.getresponse()
        if answer.status != http.client.PARTIAL_CONTENT:
            raise OSError(f"GET at {offset}: {answer.status} {answer.reason}")
        got = 0
        while got < len(view) and (received := answer.readinto(view[got:])):
            got += received
        if got != len(view) or answer.read():
            raise EOFError(f"GET at {offset}: not {len(view)} bytes")

    def write(self, offset: int, view: memoryview) -> None:
        """See share_connection.Connection."""
        self._put(f"/{SHARE}/{PIECES}/{offset // len(view)}", view, len(view))

    def store(self, file: Path) -> None:
        """See share_connection.Connection."""
        with file.open("rb") as source:
            self._put(f"/{SHARE}/{DATA}", source, file.stat().st_size)

    def names(self, folder: str) -> list[str]:
        """See share_connection.Connection. nginx does not have the request PROPFIND, with which WebDAV lists a folder."""
        raise OSError(errno.EOPNOTSUPP, "nginx has no PROPFIND", folder)

    def read_head(self, path: str, view: memoryview) -> None:
        """See share_connection.Connection."""
        self._get(path, 0, view)

    def create(self, path: str, size: int, pieces: Iterable[memoryview]) -> None:
        """See share_connection.Connection. The server acknowledges only the whole file."""
        self._put(f"/{SHARE}/{path}", pieces, size)

    def close(self) -> None:
        """See share_connection.Connection."""
        self._http.close()

    def _put(self, path: str, body: memoryview | BinaryIO | Iterable[memoryview], size: int) -> None:
        self._http.request("PUT", path, body, headers={"Content-Length": str(size)})
        answer = self._http.getresponse()
        answer.read()
        if answer.status not in (http.client.CREATED, http.client.NO_CONTENT):
            raise OSError(f"PUT {path}: {answer.status} {answer.reason}")
