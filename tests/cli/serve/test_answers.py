"""What `serve` answers to requests of other pages, and for the odd files of a site. All on 127.0.0.1."""

import pytest

from serving import DATA, Answer
from spindlemark.core.content_security import POLICY


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
