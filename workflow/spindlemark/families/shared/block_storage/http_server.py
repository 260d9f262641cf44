"""Serve one file over HTTP at a Unix socket, with a delay before each answer.

Run it as `python -m spindlemark.families.shared.block_storage.http_server SOCKET FILE SECONDS`.

It answers to GET with one range, over kept connections, SECONDS after each request. So a request takes as long as over a
line of that delay, without a line's bandwidth, loss or flow control.
"""

import os
import re
import sys
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer

RANGE = re.compile(r"bytes=(\d{1,18})-(\d{1,18})")


class Server(ThreadingMixIn, UnixStreamServer):
    """Serves `file`, each answer after `seconds`."""

    daemon_threads = True

    def __init__(self, at: Path, file: Path, seconds: float) -> None:
        super().__init__(str(at), Handler)
        self.file, self.seconds = os.open(file, os.O_RDONLY | os.O_CLOEXEC), seconds


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        """Answer with the requested range."""
        time.sleep(self.server.seconds)
        size = os.fstat(self.server.file).st_size
        wanted = RANGE.fullmatch(self.headers.get("Range", ""))
        first, last = (int(wanted[1]), min(int(wanted[2]), size - 1)) if wanted else (0, -1)
        if not first <= last:
            self._answer(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, f"bytes */{size}", b"")
            return
        body = os.pread(self.server.file, last - first + 1, first)
        self._answer(HTTPStatus.PARTIAL_CONTENT, f"bytes {first}-{last}/{size}", body)

    def _answer(self, status: HTTPStatus, place: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Range", place)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        """A client at a Unix socket has no address."""
        return "local"

    def log_message(self, *_: object) -> None:
        """Log nothing of single requests."""


if __name__ == "__main__":
    Server(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])).serve_forever()
