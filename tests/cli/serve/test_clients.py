"""Clients of `serve` that are silent, slow, greedy or broken: others are still answered. All on 127.0.0.1."""

import random
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from serving import DATA, everything
from spindlemark.cli import serve


def test_silent_connections_neither_pile_up_nor_lock_others_out(server):
    before = server.threads()
    silent = [server.connect() for _ in range(300)]
    try:
        for connection in silent[::2]:
            connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        assert server.ask().body == b"start"
        assert server.threads() - before <= 70
    finally:
        for connection in silent:
            connection.close()


@pytest.mark.parametrize("count", [100, 800])
def test_clients_that_never_read_do_not_lock_others_out(server, count):
    """Each holds a connection and an open file."""
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (700, 700))
    whole = f"GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    greedy = [server.connect() for _ in range(count)]
    try:
        for connection in greedy:
            with suppress(ConnectionError):  # ended in favour of a later one
                connection.sendall(whole)
        assert server.ask().body == b"start"
        assert server.ask("/data.parquet").body == DATA
    finally:
        for connection in greedy:
            connection.close()


def test_the_client_that_read_nothing_for_longest_is_ended_first(monkeypatch, site):
    monkeypatch.setattr(serve, "MOST_CONNECTIONS", 20)
    with _running(monkeypatch, site) as port:
        reader = socket.socket()
        reader.settimeout(60)
        reader.setsockopt(
            socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18
        )  # else the kernel may hold the whole file for it
        reader.connect(("127.0.0.1", port))
        reader.sendall(f"GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        stream, silent = reader.makefile("rb"), []
        for _ in range(30):
            assert len(stream.read(1 << 20)) == 1 << 20
            silent.append(socket.create_connection(("127.0.0.1", port), timeout=60))
        assert [connection.recv(1) for connection in silent[:5]] == [b""] * 5
        assert len(stream.read(2 << 20)) == 2 << 20
        for connection in (stream, reader, *silent):
            connection.close()


@contextmanager
def _running(monkeypatch: pytest.MonkeyPatch, site: Path) -> Iterator[int]:
    """Serve `site` in this process; yields the port."""
    monkeypatch.setattr(serve.paths, "SITE", site)
    server, listening = serve.server(0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.mark.parametrize("limit", ["REQUEST_SECONDS", "PART_SECONDS"])
def test_a_client_that_takes_too_long_is_ended(monkeypatch, site, limit):
    """Each drop comes in time for a limit on single reads: only one on the whole request ends it."""
    monkeypatch.setattr(serve, limit, 1)
    with _running(monkeypatch, site) as port:
        assert (_dripping(port) if limit == "REQUEST_SECONDS" else _never_reading(port)) < 50, "still connected"


def _never_reading(port: int) -> float:
    """Seconds until a client that asked for a large file and takes nothing of it is cut off, or 60."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        time.sleep(0.5)
        while time.monotonic() < begun + 60 and port in _established():
            time.sleep(0.2)
    return time.monotonic() - begun


def _established() -> set[int]:
    """The local ports of the established TCP connections of this machine."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].split(":")[1], 16) for row in rows if row[3] == "01"}


def _dripping(port: int) -> float:
    """Seconds until a connection on which a request comes in drops is ended, or 60."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port)) as connection, suppress(BrokenPipeError, ConnectionResetError):
        connection.settimeout(0.2)
        connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        while time.monotonic() < begun + 60:
            connection.sendall(b"y")
            try:
                assert connection.recv(1) == b""
                break
            except TimeoutError:
                continue
    return time.monotonic() - begun


def test_clients_that_leave_are_not_told(server):
    whole = f"GET /data.parquet HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    for sent in (b"", b"GET", b"GET / HTTP/1.1\r\n", whole):
        for _ in range(5):
            connection = server.connect()
            connection.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")  # SO_LINGER of 0: a reset instead of an end
            connection.sendall(sent)
            connection.close()


def test_random_requests_end_nothing(server):
    rng = random.Random(8)
    pieces = [
        b"GET ",
        b"HEAD ",
        b"/",
        b"/..",
        b"%00",
        b"%",
        b"\xff",
        b" HTTP/1.1",
        b"\r\n",
        b"\r",
        b"\n",
        b"\0",
        b"Host: ",
        b":",
        b"?",
        f"127.0.0.1:{server.port}".encode(),
        b"Range: bytes=",
        b"-",
        b"9" * 30,
        b"data.parquet",
        b"#",
        b"\\",
        b"Expect: 100-continue",
    ]
    for _ in range(300):
        with server.connect() as connection:
            connection.sendall(b"".join(rng.choices(pieces, k=rng.randint(1, 12))) + b"\r\n\r\n")
            connection.shutdown(1)
            everything(connection)
