"""`serve`: the built site on the loopback address."""

import functools
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from rich.console import Console

from spindlemark import paths
from spindlemark.errors import UserError


class _Handler(SimpleHTTPRequestHandler):
    """Files of the site; quiet; with the site's own page for what is not there."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".parquet": "application/vnd.apache.parquet", ".cff": "text/yaml", ".bib": "text/plain", ".ris": "text/plain"}

    def log_message(self, *_: object) -> None:
        pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = paths.SITE / "404.html"
        if code != 404 or not page.exists():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def forever(port: int, console: Console) -> None:
    """Serve until interrupted. Raises UserError when there is no site or the port is taken."""
    if not (paths.SITE / "index.html").exists():
        raise UserError("there is no site yet", "build it with: ./spindlemark site")
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), functools.partial(_Handler, directory=str(paths.SITE)))
    except OSError as error:
        raise UserError(f"port {port}: {error.strerror}", "choose another one with: ./spindlemark serve --port 0") from None
    with server:
        console.print(f"http://127.0.0.1:{server.server_address[1]}/  (Ctrl-C ends)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            console.print("Ended.")
