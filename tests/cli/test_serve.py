"""`serve` against what other pages, broken clients and a site with odd files in it may do. All on 127.0.0.1."""

import os
import random
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from serving import Answer, everything, served
from spindlemark.cli import serve
from spindlemark.core.content_security import POLICY

DATA = bytes(range(256)) * 1000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A small site with a secret beside it, and everything in it that is no ordinary file of it."""
    folder = tmp_path_factory.mktemp("site")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("secret")
    (outside / "index.html").write_text("secret")
    for name, text in (
        ("index.html", "start"),
        ("404.html", "our own page"),
        ("library/index.html", "library"),
        ("bare/page.html", "page"),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "data.parquet").write_bytes(DATA)
    (folder / "empty.csv").write_bytes(b"")
    (folder / "large.bin").write_bytes(bytes(32 << 20))
    (folder / "out.txt").symlink_to(outside / "secret.txt")
    (folder / "outside").symlink_to(outside)
    (folder / "linked").mkdir()
    (folder / "linked/index.html").symlink_to(outside / "index.html")
    (folder / "circle").symlink_to("circle")
    (folder / "inside.html").symlink_to("library/index.html")
    os.mkfifo(folder / "pipe.json")
    (folder / "\\elsewhere.example").mkdir()
    return folder


@pytest.fixture
def server(site, tmp_path):
    """The server; whatever was done to it, it still answers and has printed nothing but its address."""
    with served(site, tmp_path / "root") as running:
        yield running
        assert running.ask().body == b"start"
    assert running.said.strip() == "Stopped.", running.said


def test_every_answer_has_the_policy(server):
    answers = [
        server.ask(),
        server.ask("/none"),
        server.ask("/library"),
        server.ask("/data.parquet", Range="bytes=0-1"),
        server.ask("/data.parquet", Range="bytes=999999999-"),
        server.ask("/", method="HEAD"),
        server.ask("/", method="DELETE"),
        server.ask("/", host="elsewhere.example"),
        server.ask("/", If_Modified_Since=server.ask().headers["last-modified"]),
    ]
    assert [a.code for a in answers] == [200, 404, 307, 206, 416, 200, 405, 421, 304]
    for answer in answers:
        assert answer.headers["content-security-policy"] == f"{POLICY}; frame-ancestors 'none'"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "data",
    [
        b"GET /\r\n\r\n",
        b"NONSENSE\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / FTP/1.0\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /".ljust(70000, b"a"),
        b"GET / HTTP/1.0\r\n" + b"X: ".ljust(70000, b"a"),
    ],
    ids=range(7),
)
def test_what_is_not_http_is_refused_in_plain_text(server, data):
    answer = Answer(server.send(data))
    assert answer.code in (400, 421) and answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    "path",
    [
        "/bare/",
        "/out.txt",
        "/outside/",
        "/outside/secret.txt",
        "/linked/",
        "/circle",
        "/pipe.json",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2f..%2fetc/passwd",
        "/%00",
        "/index.html%00",
        "/%ff",
        "/%ed%a0%80",
        "/" + "a" * 5000,
        "/" + "a/" * 5000,
    ],
    ids=range(16),
)
def test_what_is_no_file_of_the_site_is_not_there(server, path):
    answer = server.ask(path)
    assert (answer.code, answer.body) == (404, b"our own page")


def test_folders_and_links_inside_the_site_are_served(server):
    assert server.ask("/library/").body == server.ask("/inside.html").body == b"library"
    ours = f"http://127.0.0.1:{server.port}/"
    for path in ("/library?x=y", "//elsewhere.example/../library", "/x/../library"):
        answer = server.ask(path)
        assert answer.code == 404 or answer.headers["location"].startswith(ours)
    assert server.ask("/library").headers["location"] == f"{ours}library/"
    assert server.ask("/\\elsewhere.example").code == 404
    assert server.ask("/data.parquet").headers["content-type"] == "application/vnd.apache.parquet"


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-3", 0, 3),
        ("bytes=5-5", 5, 5),
        ("bytes=255990-", 255990, 255999),
        ("bytes=-8", 255992, 255999),
        ("bytes=0-999999999", 0, 255999),
        ("bytes=100000-230000", 100000, 230000),
    ],
)
def test_single_ranges_are_answered_in_part(server, asked, first, last):
    answer = server.ask("/data.parquet", Range=asked)
    assert (answer.code, answer.body) == (206, DATA[first : last + 1])
    assert answer.headers["content-range"] == f"bytes {first}-{last}/256000"
    assert int(answer.headers["content-length"]) == last + 1 - first


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("bytes=256000-", 416),
        ("bytes=9-3", 400),
        ("lines=0-3", 400),
        ("bytes=-", 400),
        ("bytes=" + "9" * 5000 + "-", 400),
        ("bytes=\xd9\xa3-\xd9\xa4", 400),
    ],
    ids=range(6),
)
def test_ranges_that_no_file_has_are_refused(server, asked, code):
    answer = server.ask("/data.parquet", Range=asked)
    assert answer.code == code and DATA[:100] not in answer.body


def test_a_range_is_of_the_file_that_the_client_knows(server):
    modified = server.ask("/data.parquet").headers["last-modified"]
    assert server.ask("/data.parquet", Range="bytes=0-3", If_Range=modified).code == 206
    assert server.ask("/data.parquet", Range="bytes=0-3", If_Range="Thu, 01 Jan 1970 00:00:00 GMT").code == 200
    assert server.ask("/data.parquet", Range="bytes=0-3", If_Range='"tag"').code == 200
    assert server.ask("/empty.csv").headers["content-length"] == "0"
    same = server.ask("/data.parquet", If_Modified_Since=modified)
    assert (same.code, same.body) == (304, b"")
    assert server.ask("/data.parquet", If_Modified_Since="nonsense").code == 200


def test_only_names_of_this_machine_are_answered(server):
    for name in ("127.0.0.1", "localhost", "LocalHost", "[::1]"):
        assert server.ask(host=f"{name}:{server.port}").code == 200
    for host in (
        "elsewhere.example",
        f"elsewhere.example:{server.port}",
        "127.0.0.1",
        f"127.0.0.1:{server.port + 1}",
        f"127.0.0.1:{server.port}, elsewhere.example",
        f"127.0.0.1.elsewhere.example:{server.port}",
        " ",
    ):
        answer = server.ask(host=host)
        assert answer.code == 421 and b"start" not in answer.body
    twice = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: elsewhere.example\r\n\r\n".encode()
    assert Answer(server.send(twice)).code in (400, 421)


def test_nothing_is_written(server):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"):
        assert server.ask(method=method).code in (405, 501)


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
