"""Storage below a file: caches change what is asked for and never what is stored; a place that fails is heard."""

import random
import socketserver
import threading
from pathlib import Path

import pytest

from spindlemark.core.errors import UserError
from spindlemark.families import registry as families
from spindlemark.families.raw_storage_cache import family as raw_storage_cache
from spindlemark.families.shared.block_storage import http_server, storage_stack
from spindlemark.families.shared.block_storage.backends import Http
from spindlemark.families.shared.block_storage.storage_stack import BUFFER, NONE, PAGES, Below, Requests

CACHES = [(NONE, 0, 0), (BUFFER, 0, 0), (PAGES, 512, 2), (PAGES, 4096, 3), (PAGES, 1 << 16, 1)]


def played(file: Path, cache: str, page: int, pages: int, seed: int) -> tuple[bytes, Requests]:
    """Seeded reads and writes, each compared with the same in memory; what is stored in the end."""
    chance, model, asked = random.Random(seed), bytearray(), Requests()
    with storage_stack.opened(Below("local", str(file), 0, True, cache, page, pages), asked) as opened:
        for _ in range(300):
            place, count = chance.randrange(len(model) + 1), chance.randrange(1, 3000)
            opened.seek(place)
            if chance.random() < 0.5:
                data = chance.randbytes(count)
                opened.write(data)
                model[place : place + count] = data
            else:
                assert opened.read(count) == bytes(model[place : place + count])
    assert asked.length == len(model)
    return bytes(model), asked


@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_cache_stores_what_was_written(tmp_path: Path, cache: tuple[str, int, int], seed: int) -> None:
    model, asked = played(tmp_path / "file", *cache, seed)
    assert (tmp_path / "file").read_bytes() == model
    assert asked.writes > 0 and asked.written_bytes >= len(model)


@pytest.mark.parametrize("cache", CACHES)
def test_a_file_grows_by_zeros_and_shrinks_in_its_length_alone(tmp_path: Path, cache: tuple[str, int, int]) -> None:
    grown, shrunk = Requests(), Requests()
    with storage_stack.opened(Below("local", str(tmp_path / "file"), 0, True, *cache), grown) as opened:
        opened.write(b"x" * 10)
        opened.truncate(5000)
    assert (grown.length, (tmp_path / "file").read_bytes()) == (5000, b"x" * 10 + bytes(4990))
    with storage_stack.opened(Below("local", str(tmp_path / "file"), 5000, True, *cache), shrunk) as opened:
        opened.truncate(4)
        assert opened.seek(0) == 0 and opened.read() == b"xxxx"
    assert shrunk.length == 4


def test_a_large_cache_writes_each_page_once_and_never_reads(tmp_path: Path) -> None:
    model, asked = played(tmp_path / "file", PAGES, 4096, 1000, 5)
    assert (asked.reads, asked.writes, asked.written_bytes) == (0, -(-len(model) // 4096), len(model))


def test_a_file_that_is_shorter_than_it_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    with (
        pytest.raises(OSError, match="only 90 are there"),
        storage_stack.opened(Below("local", str(tmp_path / "file"), 200, False, NONE), Requests()) as opened,
    ):
        opened.seek(10)
        opened.read(150)


@pytest.mark.parametrize("cache", CACHES)
def test_a_full_disk_is_heard_whatever_the_cache(cache: tuple[str, int, int]) -> None:
    with (
        pytest.raises(OSError, match="No space left"),
        storage_stack.opened(Below("local", "/dev/full", 0, True, *cache), Requests()) as opened,
    ):
        opened.write(b"x" * 100_000)
        opened.flush()


@pytest.fixture
def served(tmp_path):
    def start(server):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return tmp_path / "socket"

    started: list = []
    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def test_ranges_are_those_of_the_file_and_nothing_else_is_answered(tmp_path: Path, served) -> None:
    (tmp_path / "file").write_bytes(bytes(range(200)))
    place = Http(served(http_server.Server(tmp_path / "socket", tmp_path / "file", 0.0)))
    assert place.read(10, 20) == bytes(range(10, 30)) and place.read(0, 1) == b"\0"
    with pytest.raises(OSError, match="answers 206 with 10 bytes"):
        place.read(190, 20)
    with pytest.raises(OSError, match="answers 416"):
        place.read(200, 1)
    with pytest.raises(OSError, match="no request of HTTP writes"):
        place.write(0, b"x")


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 206 OK\r\nContent-Length: 100\r\n\r\nshort", b"what?\r\n\r\n"])
def test_a_web_server_that_ends_or_babbles_is_an_error(tmp_path: Path, served, says: bytes) -> None:
    class Rude(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.request.sendall(says)

    place = Http(served(socketserver.UnixStreamServer(str(tmp_path / "socket"), Rude)))
    with pytest.raises(OSError, match="bytes at 0: "):
        place.read(0, 100)


def test_what_is_asked_for_is_told_of_a_cache() -> None:
    chosen = {"cache": "64-kib-x-16", "storage": "nbd-5-ms", "way": "read", "sources": "10-sources"}
    found = families.factors("raw_storage_cache", chosen, {}, 1 << 30)
    assert found["cache"] == {"name": "64-kib-x-16", "kind": "pages", "page_bytes": 65536, "pages": 16}
    assert found["storage"] == {"name": "nbd-5-ms", "kind": "nbd", "delay_ms": 5}
    slower = families.factors("raw_storage_cache", chosen | {"cache": "none"}, {}, 1 << 30)
    assert families.expected("raw_storage_cache", slower, 1 << 30) > families.expected(
        "raw_storage_cache", found, 1 << 30
    )
    with pytest.raises(UserError, match="storage: the family has no such|storage: there is no None"):
        families.factors("raw_storage_cache", {"cache": "none", "way": "read"}, {}, 1 << 30)
    assert "buffering=0" in raw_storage_cache.recipe({"cache.name": "none"})[0]
    assert raw_storage_cache.recipe({}) == []
