"""`serve`: the built site on the loopback address, for the browsers of this machine.

Starlette finds and sends the files; uvicorn handles HTTP. This module adds the accepted host names, the security headers
and the time limits.
"""

import asyncio
import mimetypes
import os
import socket
from typing import Any, cast

import uvicorn
from rich.console import Console
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from spindlemark.core import paths
from spindlemark.core.content_security import POLICY, WORKER_POLICY
from spindlemark.core.errors import UserError

REQUEST_SECONDS = 10  # until the whole head of a connection's first request has arrived
IDLE_SECONDS = 10  # between two requests on a connection
PART_SECONDS = 30  # until a client has read the next part of a response
MOST_CONNECTIONS = 200  # with a file each and 3 BACKLOG new ones, fewer than the usual limit of 1024 open files
BACKLOG = 64  # connections accepted in one turn of the event loop; a connection beyond MOST_CONNECTIONS ends three turns later
STOP_SECONDS = 1  # for responses that are still being sent after Ctrl-C
ACTIVE = "active"  # key of the function of a connection that notes activity
NAMES = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".cff": "text/yaml",
    ".bib": "text/plain",
    ".ris": "text/plain",
}


class _Files(StaticFiles):
    """The files of the site; an impossible path gives 404 instead of an error."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        try:
            return super().lookup_path(path)
        except (OSError, ValueError):  # too long, a cycle of links, a null byte
            return "", None


class _SiteRules:
    """Middleware: refuse other host names, and add the security headers to each response."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        policy = WORKER_POLICY if scope["path"].endswith(".js") else POLICY
        added = HEADERS | {"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}

        async def send_part(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", ()),
                    *((name.lower().encode(), value.encode()) for name, value in added.items()),
                ]
            await send(message)
            scope["state"][ACTIVE]()

        scope["state"][ACTIVE]()
        # Against DNS rebinding: a foreign site whose name resolves to this address could otherwise read the pages.
        hosts = [value.decode("latin-1").strip().lower() for name, value in scope["headers"] if name == b"host"]
        known = len(hosts) == 1 and hosts[0] in self.hosts
        app = self.app if known else PlainTextResponse("Unknown host name.", 421)
        await app(scope, receive, send_part)


class _Connection(H11Protocol):
    """A connection that ends if its first request, or the client's reading of a response, is too slow.

    It also ends if there are too many connections and its client has asked for and taken nothing for the longest time.
    """

    _deadline: asyncio.TimerHandle
    _active: float

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._end_without_request)
        self.app_state = {**self.app_state, ACTIVE: self.note_activity}  # the application sees it in its scope
        self.note_activity()
        if len(self.connections) > MOST_CONNECTIONS:
            idle = min(cast(set[_Connection], self.connections), key=lambda connection: connection._active)
            self.connections.discard(idle)
            idle.transport.abort()

    def note_activity(self) -> None:
        """Note that the client is new, has asked for something or has room for the next part of it."""
        self._active = self.loop.time()

    def _end_without_request(self) -> None:
        if self.cycle is None:  # no request has arrived
            self.transport.close()

    def pause_writing(self) -> None:
        """The client's buffer is full: it has PART_SECONDS to read on."""
        super().pause_writing()
        self._deadline.cancel()
        self._deadline = self.loop.call_later(PART_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._deadline.cancel()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        super().connection_lost(exc)


def application(port: int) -> ASGIApp:
    """Return the ASGI application that serves the built site on `port`."""
    for suffix, kind in TYPES.items():
        mimetypes.add_type(kind, suffix)
    return _SiteRules(Starlette(routes=[Mount("/", _Files(directory=paths.SITE, html=True))]), port)


def server(port: int) -> tuple[uvicorn.Server, socket.socket]:
    """Return a server and the socket that it listens on; port 0 selects a free one. Raises OSError if the port is in use."""
    listening = socket.create_server(("127.0.0.1", port))
    settings: dict[str, Any] = {
        "http": _Connection,
        "ws": "none",
        "lifespan": "off",
        "log_level": "critical",
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "backlog": BACKLOG,
        "timeout_keep_alive": IDLE_SECONDS,
        "timeout_graceful_shutdown": STOP_SECONDS,
    }
    return uvicorn.Server(uvicorn.Config(application(listening.getsockname()[1]), **settings)), listening


def forever(port: int, console: Console) -> None:
    """Serve until interrupted. Raises UserError if there is no site or the port is in use."""
    if not (paths.SITE / "index.html").exists():
        raise UserError("there is no site yet", "build it with: ./spindlemark site")
    try:
        running, listening = server(port)
    except OSError as error:
        raise UserError(
            f"port {port}: {error.strerror}", "let it choose a free port: ./spindlemark serve --port 0"
        ) from None
    with listening:
        try:
            console.print(f"http://127.0.0.1:{listening.getsockname()[1]}/  (stop with Ctrl-C)")
            running.run(sockets=[listening])
        except KeyboardInterrupt:
            console.print("Stopped.")
