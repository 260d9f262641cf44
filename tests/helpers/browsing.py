"""Where the browser is and how a built site is served to it; tests and benchmark share it."""

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """The nearest 404.html, as a host of static pages answers."""
        folders = [Path(self.directory, *self.path.split("/")[1:n]) for n in range(self.path.count("/") + 1, 0, -1)]
        page = next((folder / "404.html" for folder in folders if (folder / "404.html").is_file()), None)
        if code == 404 and self.path == "/versions.json":  # one version alone, which stands in no assembled site
            self._answer(200, "application/json", b'{"versions": []}')
            return
        if code != 404 or page is None:
            super().send_error(code, message, explain)
            return
        self._answer(code, "text/html", page.read_bytes())

    def _answer(self, code: int, kind: str, content: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback address; yields the address of its root."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
