"""The real `./spindlemark serve` as a process of its own, and raw requests to it."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core import paths

DATA = bytes(range(256)) * 1000  # of a file of the served site


class Served:
    """A running server; `said` holds all that it printed once it has ended."""

    def __init__(self, port: int, process: subprocess.Popen) -> None:
        self.port, self.process, self.said = port, process, ""

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def send(self, data: bytes) -> bytes:
        """All that comes back for `data`, until the server closes."""
        with self.connect() as connection:
            connection.sendall(data)
            return everything(connection)

    def ask(self, path: str = "/", method: str = "GET", host: str | None = None, **headers: str) -> "Answer":
        """One well-formed request; `If_Range` stands for `If-Range`."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return Answer(self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")))

    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))


class Answer:
    def __init__(self, data: bytes) -> None:
        head, _, self.body = data.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        self.code = int(status.split()[1])
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}


def everything(connection: socket.socket) -> bytes:
    """What a connection gives until it ends, also when it is reset."""
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@contextmanager
def served(site: Path, root: Path) -> Iterator[Served]:
    """Serve `site` from a project in the empty folder `root`; ends the server as Ctrl-C does."""
    (root / "data/build").mkdir(parents=True)
    (root / "data/build/site").symlink_to(site)
    for name in ("config", "workflow"):
        (root / name).symlink_to(paths.ROOT / name)
    process = subprocess.Popen(
        [sys.executable, "-m", "spindlemark", "serve", "--port", "0"],
        cwd=root,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | {"SPINDLEMARK_ROOT": str(root), "COLUMNS": "160"},
    )
    try:
        line = process.stdout.readline()
        found = Served(int(re.search(r"http://127\.0\.0\.1:(\d+)/", line)[1]), process)
        yield found
        assert process.poll() is None, f"the server ended: {process.stdout.read()}"
        process.send_signal(signal.SIGINT)
        found.said, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
