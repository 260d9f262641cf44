"""The clients' program against servers of every manner, on this machine's own loopback."""

import json
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from spindlemark.families.http_streams import asset_blocks, asset_writer, thumbnails, web_servers

ASSET = 64 * asset_blocks.BLOCK
RATE = 1e6  # bytes per second: the asset lasts a quarter of a second
TASK = {
    "host": "127.0.0.1",
    "tls": False,
    "joins": [0.0] * 3,
    "stay_seconds": None,
    "segmented": False,
    "rate": RATE,
    "start_bytes": 20_000,
    "most_bytes": 40_000,
    "asset_bytes": ASSET,
    "limit_seconds": 20.0,
    "marks": [0.01, 0.05],
    "thumbnails": {"per_second": 0, "count": 0},
}


@pytest.fixture
def assets(tmp_path):
    """Three assets as files and as segments."""
    for segment, folder in ((0, "files"), (20 * asset_blocks.BLOCK, "segments")):
        pool = bytearray(b"x" * (1 << 20))
        (tmp_path / folder).mkdir()
        for asset in range(3):
            asset_writer.write(tmp_path / folder, asset, ASSET, segment, RATE, pool)
    return tmp_path


@contextmanager
def serving(answer, tls=None):
    """A server that answers each GET by `answer(handler)`, by TLS with a context; its port."""
    handler = type(
        "Handler",
        (BaseHTTPRequestHandler,),
        {"do_GET": answer, "protocol_version": "HTTP/1.1", "log_message": lambda *_: None},
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def from_folder(folder, change=lambda data: data):
    def answer(self):
        data = change((folder / self.path.lstrip("/")).read_bytes())
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    return answer


def play(tmp_path, port, **changes):
    output = tmp_path / "report.json"
    words = [json.dumps(TASK | {"port": port} | changes), str(output)]
    subprocess.run(
        [sys.executable, "-P", "-m", "spindlemark.families.http_streams.http_client", *words], check=True, timeout=60
    )
    return json.loads(output.read_text())


@pytest.fixture
def tls(tmp_path):
    """The context of a server with a certificate as web_servers.py makes it."""
    folder = tmp_path / "tls"
    folder.mkdir()
    web_servers._issue(folder, owner=None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / web_servers.CERTIFICATE, folder / web_servers.KEY)
    return context


@pytest.mark.parametrize("segmented", [False, True])
def test_everybody_gets_the_asset_by_tls(assets, tmp_path, tls, segmented):
    with serving(from_folder(assets / ("segments" if segmented else "files")), tls) as port:
        seen = play(tmp_path, port, segmented=segmented, tls=True)
    assert [(v["received_bytes"], v["complete"], v["error"]) for v in seen["clients"]] == [(ASSET, True, "")] * 3
    assert seen["checked_blocks"] > 3 and seen["bad_blocks"] == 0
    assert seen["seconds"] >= (ASSET - TASK["most_bytes"]) / RATE * 0.9, "not faster than the buffer lets it"
    assert seen["seconds"] < 15, "no client waits for bytes that TLS has decrypted already"


def test_a_client_of_tls_says_that_a_server_has_none(assets, tmp_path):
    with serving(from_folder(assets / "files")) as port:
        seen = play(tmp_path, port, tls=True, limit_seconds=5.0)
    assert all("cannot connect" in v["error"] for v in seen["clients"])


@pytest.mark.parametrize("segmented", [False, True])
def test_everybody_gets_the_right_asset_whole_at_its_rate(assets, tmp_path, segmented):
    with serving(from_folder(assets / ("segments" if segmented else "files"))) as port:
        seen = play(tmp_path, port, segmented=segmented)
    assert [v["received_bytes"] for v in seen["clients"]] == [ASSET] * 3
    assert all(v["complete"] and not v["error"] and v["startup_seconds"] is not None for v in seen["clients"])
    assert seen["checked_blocks"] > 3 and seen["bad_blocks"] == 0
    assert seen["seconds"] >= (ASSET - TASK["most_bytes"]) / RATE * 0.9, "not faster than the buffer lets it"
    paths = [path for path, _, _ in seen["clients"][1]["transferred"]]
    assert paths == (["/1/index.m3u8", *(f"/1/segment-{n}" for n in range(4))] if segmented else ["/1/asset"])
    assert all(moved > body > 0 for path, moved, body in seen["clients"][1]["transferred"])
    assert all(held <= TASK["most_bytes"] for mark in seen["marks"] for _, held in mark) and len(seen["marks"]) == 2


def test_clients_join_and_leave_at_their_times(assets, tmp_path):
    with serving(from_folder(assets / "files")) as port:
        seen = play(
            tmp_path, port, joins=[0.0, 0.5, 1.0], stay_seconds=1.5, rate=ASSET / 10, marks=[], most_bytes=40_000
        )
    begun, left = ([v[key] for v in seen["clients"]] for key in ("joined_seconds", "left_seconds"))
    # A busy machine is later, but by less than the next client waits.
    assert all(0 <= got - due < 0.45 for got, due in zip(begun, (0.0, 0.5, 1.0), strict=True)), begun
    assert all(0 <= end - start - 1.5 < 0.45 for start, end in zip(begun, left, strict=True)), left
    assert all(not v["complete"] and not v["error"] and v["startup_seconds"] is not None for v in seen["clients"])
    assert seen["seconds"] == pytest.approx(max(left), abs=0.45) and seen["marks"] == []


def test_another_asset_is_noticed(assets, tmp_path):
    def other(self):
        self.path = "/0/asset"
        from_folder(assets / "files")(self)

    with serving(other) as port:
        seen = play(tmp_path, port)
    assert 0 < seen["bad_blocks"] < seen["checked_blocks"], "two of three clients got the wrong one"


def test_a_slow_server_makes_them_wait(assets, tmp_path):
    def slowly(self):
        data = (assets / "files" / self.path.lstrip("/")).read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        for at in range(0, len(data), 32_768):
            self.wfile.write(data[at : at + 32_768])
            time.sleep(0.15)

    with serving(slowly) as port:
        seen = play(tmp_path, port)
    assert all(v["stalls"] > 0 and v["stalled_seconds"] > 0.1 and v["complete"] for v in seen["clients"])
    assert all(v["lowest_bytes"] < 0 for v in seen["clients"]), "what was missing, as if nobody had paused"


def test_a_server_that_sends_nothing_ends_with_the_time(assets, tmp_path):
    with serving(lambda self: time.sleep(5)) as port:
        seen = play(tmp_path, port, limit_seconds=0.5)
    assert seen["seconds"] < 4 and all(v["startup_seconds"] is None and not v["error"] for v in seen["clients"])
    assert [[got for got, _ in mark] for mark in seen["marks"]] == [[0] * 3] * 2


@pytest.fixture
def small(assets):
    """Ten thumbnails beside the assets that are files."""
    for number in range(thumbnails.FIRST, thumbnails.FIRST + 10):
        asset_writer.write(assets / "files", number, thumbnails.BYTES, 0, RATE, bytearray(b"x" * (1 << 20)))
    return assets / "files"


@pytest.mark.parametrize("encrypted", [False, True])
def test_each_thumbnail_is_fetched_once_at_its_time(small, tmp_path, tls, encrypted):
    wanted = {"per_second": 50, "count": 10}
    with serving(from_folder(small), tls if encrypted else None) as port:
        seen = play(tmp_path, port, tls=encrypted, thumbnails=wanted)
    found = seen["thumbnails"]
    assert len(found["seconds"]) == 10 and not found["errors"] and seen["bad_blocks"] == 0
    assert sorted(path for path, *_ in found["transferred"]) == [f"/{thumbnails.FIRST + n}/asset" for n in range(10)]
    assert [path for path, *_ in found["transferred"]] != sorted(path for path, *_ in found["transferred"])
    assert all(total > body == thumbnails.BYTES and whole for _, total, body, whole in found["transferred"])
    assert found["received_bytes"] == 10 * thumbnails.BYTES
    assert all(v["complete"] and v["received_bytes"] == ASSET for v in seen["clients"])


@pytest.mark.parametrize(("closes", "ended"), [(True, True), (False, False)])
def test_the_server_ends_a_complete_answer_before_the_client_hangs_up(small, tmp_path, closes, ended):
    """A server's log may lack what it was sending while the client hung up (nginx with threads)."""
    there = []

    def watched(self):
        from_folder(small)(self)
        self.close_connection = closes
        self.connection.settimeout(0.3)
        try:
            there.append(bool(self.connection.recv(1)))
        except TimeoutError:
            there.append(True)
        self.connection.settimeout(None)

    with serving(watched) as port:
        seen = play(tmp_path, port, limit_seconds=2.0, thumbnails={"per_second": 50, "count": 5})
    assert there == [True] * (3 + len(seen["thumbnails"]["seconds"])) and len(there) > 3
    assert all(v["complete"] and v["ended"] is ended and not v["error"] for v in seen["clients"])
    assert {whole for *_, whole in seen["thumbnails"]["transferred"]} == {ended}


def test_a_slow_thumbnail_makes_no_other_wait_and_counts_with_its_time(small, tmp_path):
    def slow_once(self):
        if self.path == f"/{thumbnails.FIRST}/asset":
            time.sleep(60)
        from_folder(small)(self)

    with serving(slow_once) as port:
        seen = play(
            tmp_path, port, joins=[0.0], rate=ASSET / 3, limit_seconds=2.0, thumbnails={"per_second": 20, "count": 10}
        )
    waits = sorted(seen["thumbnails"]["seconds"])
    assert len(waits) == 10 and waits[-1] > 1.4 and waits[-2] < 1
    assert [whole for *_, whole in seen["thumbnails"]["transferred"]].count(False) == 1


def test_a_thumbnail_that_is_missing_is_an_error(assets, tmp_path):
    def missing(self):
        if str(thumbnails.FIRST) in self.path:
            self.send_error(404)
        else:
            from_folder(assets / "files")(self)

    with serving(missing) as port:
        seen = play(tmp_path, port, thumbnails={"per_second": 50, "count": 1})
    assert ["404" in error for error in seen["thumbnails"]["errors"]] == [True]


def half(self):
    self.send_response(200)
    self.send_header("Content-Length", str(ASSET))
    self.end_headers()
    self.wfile.write(b"x" * 1000)
    self.close_connection = True


def without_length(self):
    self.send_response(200)
    self.send_header("Transfer-Encoding", "chunked")
    self.end_headers()


def redirected(self):
    self.send_response(302)
    self.send_header("Location", "http://example.invalid/")
    self.send_header("Content-Length", "0")
    self.end_headers()


def endless_head(self):
    self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000)


def endless_playlist(self):
    self.send_response(200)
    self.send_header("Content-Length", str(1 << 40))
    self.end_headers()


def shorter(self):
    self.send_response(200)
    self.send_header("Content-Length", "4096")
    self.end_headers()
    self.wfile.write(bytes(4096))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda self: self.send_error(404), "404"),
        (half, "closed the connection"),
        (without_length, "without the file"),
        (redirected, "302"),
        (endless_head, "no end"),
        (shorter, "the asset has 4096 bytes"),
        (lambda self: self.wfile.write(b"\0" * 20_000), "no end"),
    ],
)
def test_what_is_not_an_asset_is_an_error_in_words(tmp_path, answer, said):
    with serving(answer) as port:
        seen = play(tmp_path, port)
    assert all(said in v["error"] and not v["complete"] for v in seen["clients"]), seen["clients"][0]


def test_a_playlist_without_an_end_is_not_kept(tmp_path):
    with serving(endless_playlist) as port:
        seen = play(tmp_path, port, segmented=True)
    assert all("a playlist of 1099511627776 bytes" in v["error"] for v in seen["clients"])


def test_nobody_there_is_an_error_and_no_crash(tmp_path):
    with serving(half) as port:
        pass
    seen = play(tmp_path, port)
    assert all("cannot connect" in v["error"] for v in seen["clients"])
