"""`serve`: the built site on the loopback address, for the browsers of this machine."""

import contextlib
import os
import re
import socket
import sys
import threading
import time
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from rich.console import Console

from spindlemark.core import paths
from spindlemark.core.content_security import OF_SCRIPTS, POLICY
from spindlemark.core.errors import UserError

REQUEST_SECONDS = 10  # until a whole request must have come
PART_SECONDS = 30  # until a client must have taken the next part of an answer
PART = 64 << 10
MOST_CONNECTIONS = 64
NAMES = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{1,18})?|-(\d{1,18}))", re.ASCII)


class _Handler(SimpleHTTPRequestHandler):
    """Ordinary files of the site, whole or a part of one; quiet; with the site's own page for what is not there."""

    server: "_Server"
    timeout = PART_SECONDS
    server_version, sys_version = "spindlemark", ""
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".parquet": "application/vnd.apache.parquet",
        ".cff": "text/yaml",
        ".bib": "text/plain",
        ".ris": "text/plain",
    }

    def log_message(self, *_: object) -> None:
        pass

    def parse_request(self) -> bool:
        """Refuse other hosts: a foreign site whose name suddenly leads here would read this one as its own."""
        if not super().parse_request():
            return False
        self.server.has_asked(self.connection)
        if [host.strip().lower() for host in self.headers.get_all("Host", [])] not in self.server.hosts:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return False
        return True

    def send_response(self, code: int, message: str | None = None) -> None:
        self.request_version = self.protocol_version  # answers to HTTP/0.9 would have no headers
        super().send_response(code)

    def end_headers(self) -> None:
        of_script = getattr(self, "path", "").partition("?")[0].endswith(".js")
        policy = {"Content-Security-Policy": f"{OF_SCRIPTS if of_script else POLICY}; frame-ancestors 'none'"}
        for name, value in (HEADERS | policy).items():
            self.send_header(name, value)
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """The site's own page for what is not there, else the standard's words: nothing of the request is repeated."""
        page = self._file("/404.html") if code == HTTPStatus.NOT_FOUND else None
        if page is None:
            super().send_error(code)
        else:
            self._answer(code, {"Content-Type": "text/html; charset=utf-8"}, page.read_bytes())

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        """The file, `index.html` for a folder, or the way into the folder."""
        file = self._file(self.path)
        if file is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        elif file.is_dir():
            # Put together anew: a redirection to the path as it came could lead to another host.
            inside = quote(file.relative_to(_root()).as_posix())
            self._answer(HTTPStatus.MOVED_PERMANENTLY, {"Location": f"/{inside}/"})
        else:
            with file.open("rb") as stream:
                self._send(stream, self.guess_type(str(file)))

    def _file(self, path: str) -> Path | None:
        """The ordinary file or folder of the site that a request names, links followed; None for all else."""
        if not path.startswith("/"):
            return None
        self.directory = str(_root())
        try:
            named = self.translate_path(path)
            file = Path(named, "index.html" if named.endswith("/") else "").resolve(strict=True)
        except (OSError, ValueError, RuntimeError):  # not there, no name at all, or links in a circle
            return None
        sound = file.is_file() or file.is_dir() and not named.endswith("/")
        return file if sound and file.is_relative_to(_root()) else None

    def _send(self, stream: BinaryIO, kind: str) -> None:
        """Answer with what of the file was asked for, or that the client has it."""
        about = os.fstat(stream.fileno())
        modified = self.date_time_string(int(about.st_mtime))
        known = {"Last-Modified": modified, "Accept-Ranges": "bytes"}
        if self.headers.get("If-Modified-Since") == modified and "If-None-Match" not in self.headers:
            self._answer(HTTPStatus.NOT_MODIFIED, known)
            return
        part = self._range(about.st_size) if self.headers.get("If-Range", modified) == modified else None
        if part is not None and not part:
            self._answer(
                HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, known | {"Content-Range": f"bytes */{about.st_size}"}
            )
            return
        found = range(about.st_size) if part is None else part
        known |= {"Content-Type": kind, "Content-Length": str(len(found))}
        if part is not None:
            known["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{about.st_size}"
        self._answer(HTTPStatus.OK if part is None else HTTPStatus.PARTIAL_CONTENT, known, None)
        if self.command == "GET":
            stream.seek(found.start)
            left = len(found)
            while left and (data := stream.read(min(PART, left))):
                self.wfile.write(data)
                left -= len(data)

    def _range(self, size: int) -> range | None:
        """The bytes of a single range, none of them when it lies outside; None for what may be answered with all."""
        asked = RANGE.fullmatch(self.headers.get("Range", "")) if self.command == "GET" else None
        if asked is None:
            return None
        first, last, tail = (None if text is None else int(text) for text in asked.groups())
        if tail is not None:
            return range(max(0, size - tail), size)
        if last is not None and last < first:
            return None
        return range(first, size if last is None else min(size, last + 1))

    def _answer(self, code: int, headers: dict[str, str], body: bytes | None = b"") -> None:
        """Send status and headers, and `body` unless it follows."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        if body is not None and code != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if body and self.command != "HEAD":
            self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    """A thread for each of at most MOST_CONNECTIONS; who does not ask in time, or when others want to, is cut off."""

    request_queue_size = MOST_CONNECTIONS

    def __init__(self, port: int) -> None:
        self._lock = threading.Lock()
        self._open: dict[socket.socket, float | None] = {}  # the deadline of the request; None: it has come
        super().__init__(("127.0.0.1", port), _Handler)
        self.port = self.server_address[1]
        self.hosts = [[f"{name}:{self.port}"] for name in NAMES]
        self.hosts += [[name] for name in NAMES] if self.port == 80 else []

    def has_asked(self, connection: socket.socket) -> None:
        """Note that the whole head of a request has come."""
        with self._lock:
            self._open[connection] = None

    def verify_request(self, request: socket.socket, client_address: object) -> bool:
        """Whether there is room; the one that has been silent for longest makes it."""
        with self._lock:
            silent = next((c for c, deadline in self._open.items() if deadline is not None), None)
            full = len(self._open) >= MOST_CONNECTIONS
            if full and silent:
                self._cut(silent)
            if not full or silent:
                self._open[request] = time.monotonic() + REQUEST_SECONDS
            return request in self._open

    def service_actions(self) -> None:
        """Called twice a second: end what is overdue."""
        with self._lock:
            for connection, deadline in list(self._open.items()):
                if deadline is not None and deadline < time.monotonic():
                    self._cut(connection)

    def shutdown_request(self, request: socket.socket) -> None:
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that left is no error of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def _cut(self, connection: socket.socket) -> None:
        """End a connection from outside; its thread wakes up and closes it."""
        del self._open[connection]
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _root() -> Path:
    """The site's folder, asked each time: it is another one after it was built anew."""
    return paths.SITE.resolve()


def forever(port: int, console: Console) -> None:
    """Serve until interrupted. Raises UserError when there is no site or the port is taken."""
    if not (paths.SITE / "index.html").exists():
        raise UserError("there is no site yet", "build it with: ./spindlemark site")
    try:
        server = _Server(port)
    except OSError as error:
        raise UserError(
            f"port {port}: {error.strerror}", "choose another one with: ./spindlemark serve --port 0"
        ) from None
    with server:
        try:
            console.print(f"http://127.0.0.1:{server.port}/  (Ctrl-C ends)")
            server.serve_forever()
        except KeyboardInterrupt:
            console.print("Ended.")
