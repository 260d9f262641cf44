"""`serve` against what other pages, broken clients and a site with odd files in it may do. All on 127.0.0.1."""

import os
import random
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

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
    assert running.said.strip() == "Ended.", running.said


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
        *(
            Answer(server.send(data))
            for data in (
                b"GET / HTTP/0.9\r\n\r\n",
                b"GET /\r\n\r\n",
                b"NONSENSE\r\n\r\n",
                b"GET / HTTP/9.9\r\n\r\n",
                b"GET / FTP/1.0\r\n\r\n",
                b"POST /\r\n\r\n",
                b"GET /".ljust(65537, b"a"),
                b"GET / HTTP/1.0\r\n" + b"X: ".ljust(65537, b"a"),
                b"GET / HTTP/1.0\r\n" + b"X: y\r\n" * 200 + b"\r\n",
            )
        ),
    ]
    assert [a.code for a in answers] == [
        200,
        404,
        301,
        206,
        416,
        200,
        501,
        421,
        304,
        421,
        421,
        400,
        505,
        400,
        400,
        414,
        431,
        431,
    ]
    for answer in answers:
        assert answer.headers["content-security-policy"] == f"{POLICY}; frame-ancestors 'none'"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


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
        "/index.html/",
        "/%00",
        "/index.html%00",
        "/%ff",
        "/%ed%a0%80",
        "/" + "a" * 5000,
        "/" + "a/" * 5000,
        "http://[/../../library",
        "*",
        "index.html",
    ],
    ids=range(20),
)
def test_what_is_no_file_of_the_site_is_not_there(server, path):
    answer = server.ask(path)
    assert (answer.code, answer.body) == (404, b"our own page")


def test_folders_and_links_inside_the_site_are_served(server):
    assert server.ask("/library/").body == server.ask("/inside.html").body == b"library"
    assert server.ask("/library?x=y").headers["location"] == "/library/"
    assert server.ask("//elsewhere.example/../library").headers["location"] == "/library/"
    assert server.ask("/\\elsewhere.example").headers["location"] == "/%5Celsewhere.example/"
    assert server.ask("/data.parquet").headers["content-type"] == "application/vnd.apache.parquet"


@pytest.mark.parametrize(
    ("asked", "code", "first", "last"),
    [
        ("bytes=0-3", 206, 0, 3),
        ("bytes=5-5", 206, 5, 5),
        ("bytes=255990-", 206, 255990, 255999),
        ("bytes=-8", 206, 255992, 255999),
        ("bytes=0-999999999", 206, 0, 255999),
        ("bytes=-999999999", 206, 0, 255999),
        ("bytes=100000-230000", 206, 100000, 230000),
        ("bytes=256000-", 416, 0, 0),
        ("bytes=-0", 416, 0, 0),
        ("bytes=0-1,4-5", 200, 0, 255999),
        ("bytes=9-3", 200, 0, 255999),
        ("lines=0-3", 200, 0, 255999),
        ("bytes=" + "9" * 5000 + "-", 200, 0, 255999),
        ("bytes=-", 200, 0, 255999),
        ("bytes=٣-٤".encode().decode("latin-1"), 200, 0, 255999),
    ],
)
def test_single_ranges_are_answered_in_part(server, asked, code, first, last):
    answer = server.ask("/data.parquet", Range=asked)
    assert answer.code == code and answer.headers["accept-ranges"] == "bytes"
    if code == 416:
        assert (answer.headers["content-range"], answer.body) == ("bytes */256000", b"")
        return
    assert answer.body == DATA[first : last + 1] and int(answer.headers["content-length"]) == last + 1 - first
    assert answer.headers.get("content-range") == (f"bytes {first}-{last}/256000" if code == 206 else None)


def test_a_range_is_of_the_file_that_the_client_knows(server):
    modified = server.ask("/data.parquet").headers["last-modified"]
    assert server.ask("/data.parquet", Range="bytes=0-3", If_Range=modified).code == 206
    assert server.ask("/data.parquet", Range="bytes=0-3", If_Range="Thu, 01 Jan 1970 00:00:00 GMT").code == 200
    assert server.ask("/data.parquet", Range="bytes=0-3", If_Range='"tag"').code == 200
    assert server.ask("/empty.csv", Range="bytes=0-").code == 416
    assert server.ask("/empty.csv").headers["content-length"] == "0"
    head = server.ask("/data.parquet", method="HEAD", Range="bytes=0-3")
    assert (head.code, head.body, head.headers["content-length"]) == (200, b"", "256000")
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
    assert Answer(server.send(b"GET / HTTP/1.1\r\n\r\n")).code == 421
    twice = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: elsewhere.example\r\n\r\n".encode()
    assert Answer(server.send(twice)).code == 421


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


def test_a_request_that_comes_in_drops_is_ended(monkeypatch):
    """Each drop comes in time for a limit on single reads: only one on the whole request ends it."""
    monkeypatch.setattr(serve, "REQUEST_SECONDS", 1)
    with serve._Server(0) as server, ThreadPoolExecutor(1) as thread:
        thread.submit(server.serve_forever)
        try:
            assert _dripping(server.port) < 60, "still connected"
        finally:
            server.shutdown()


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
