"""Each web server for real, at one end of a link: what it serves, as whom, and what becomes of who misbehaves."""

import json
import shutil
import socket
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from spindlemark import config
from spindlemark.core.outcome import Failed
from spindlemark.core.process import programs, unpacked
from spindlemark.core.process.command import execute
from spindlemark.families.http_streams import family as http_streams
from spindlemark.families.http_streams import http_client, sockets, web_servers
from spindlemark.testbeds import link, namespaces
from spindlemark.testbeds.background import background

pytestmark = [
    pytest.mark.usefixtures("needs_root"),
    pytest.mark.skipif(
        bool(unpacked.missing(http_streams.UNPACKED)),
        reason="no servers are unpacked here: ./spindlemark test fetches them",
    ),
]
BED = config.LinkTestbed(
    description="", kind="link", storage=None, scheduler="none", source_directory="/dev/shm", busy_bound=0.1
)
ASSET_BYTES, RATE, CLIENTS = 1 << 20, 2e6, 4
SERVERS = ("nginx", "nginx+threads", "nginx+tls", "nginx+directio", "apache", "lighttpd", "caddy")


@pytest.fixture(scope="module")
def place():
    """A link, and assets that everybody may read."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="spindlemark-test-"))
    folder.chmod(0o755)
    words = [
        "--first",
        "0",
        "--assets",
        str(CLIENTS),
        "--asset-bytes",
        str(ASSET_BYTES),
        "--segment-bytes",
        "0",
        "--rate",
        str(RATE),
    ]
    execute(
        [*programs.PYTHON, "-m", "spindlemark.families.http_streams.asset_writer", str(folder / "assets"), *words], 60
    )
    (folder / "secret").write_text("secret")
    try:
        with link.opened("test", BED, 0, {}, lambda argv: execute(argv, 60)) as made:
            yield made, folder / "assets"
    finally:
        link.clean("test", BED)
        shutil.rmtree(folder)


@contextmanager
def serving(place, name):
    """The server, ready; and what its log says once it has ended."""
    made, assets = place
    factor = {"name": name} | config.load().servers[name].model_dump()
    session, after = SimpleNamespace(commands=[]), []
    with web_servers.prepared(factor, assets, made.server.address) as server:
        words = made.within(made.server, server.words(), web_servers.USER)
        with background(session, words, name="server", listening=sockets.within(made.server)) as running:
            yield running, after
        after += server.answered()


def watched(made, tmp_path, tls=False):
    task = {
        "host": made.server.address,
        "port": web_servers.PORT,
        "tls": tls,
        "joins": [0.0] * CLIENTS,
        "stay_seconds": None,
        "segmented": False,
        "rate": RATE,
        "start_bytes": 50_000,
        "most_bytes": 100_000,
        "asset_bytes": ASSET_BYTES,
        "limit_seconds": 30,
        "marks": [0.1],
        "thumbnails": {"per_second": 0, "count": 0},
    }
    words = made.within(
        made.client, [*programs.PYTHON, "-m", http_client.__name__, json.dumps(task), str(tmp_path / "report")]
    )
    assert execute(words, 60).exit_code == 0
    return json.loads((tmp_path / "report").read_text())


def asked(made, request: bytes) -> bytes:
    """What the server answers, up to its end or a second without a word."""
    with namespaces.inside(Path(made.client.namespace), socket.socket) as one:
        one.settimeout(1)
        one.connect((made.server.address, web_servers.PORT))
        one.sendall(request)
        found = b""
        try:
            while data := one.recv(65536):
                found += data
        except TimeoutError:
            pass
        return found


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_feeds_clients_lists_nothing_and_has_no_rights(place, name, tmp_path):
    made, _ = place
    with serving(place, name) as (running, after):
        seen = watched(made, tmp_path, tls=name == "nginx+tls")
        listed = asked(made, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        above = asked(made, b"GET /../secret HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        users = {Path(f"/proc/{pid}").stat().st_uid for pid in namespaces.processes(f"net-{made_by()}")}
        assert sockets.quiet(made.server, Path("/proc/sys/kernel/ostype"), 20)
        used = running.cpu_seconds()
    assert all(v["complete"] and v["ended"] and not v["error"] for v in seen["clients"]) and seen["bad_blocks"] == 0
    assert b" 200 " not in listed.split(b"\r\n")[0] and b"href" not in listed
    assert b"secret" not in above and b" 200 " not in above.split(b"\r\n")[0]
    assert 0 not in users and users, "it runs as nobody"
    whole = [line.bytes for line in after if line.status == 200 and line.path.endswith("/asset")]
    counts = 1 if config.load().servers[name].log.counts == "all" else 2
    assert sorted(whole) == sorted(v["transferred"][0][counts] for v in seen["clients"])
    assert used > 0 and not list(Path("/run/spindlemark").glob("serving-*"))


def made_by():
    import os

    return os.getpid()


def test_who_never_reads_holds_nobody_up(place, tmp_path):
    """Neither the others, nor the end of the server."""
    made, _ = place
    with namespaces.inside(Path(made.client.namespace), socket.socket) as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with serving(place, "nginx") as (_, _after):
            silent.connect((made.server.address, web_servers.PORT))
            silent.sendall(b"GET /0/asset HTTP/1.1\r\nHost: x\r\n\r\n")
            assert all(v["complete"] for v in watched(made, tmp_path)["clients"])
            assert not sockets.quiet(made.server, Path("/proc/sys/kernel/ostype"), 0.3), (
                "it still waits for the silent one"
            )
            begun = time.monotonic()
        assert time.monotonic() - begun < 30


def test_without_a_free_port_the_server_fails_with_its_words(place):
    made, _ = place
    taker = namespaces.inside(
        Path(made.server.namespace), lambda: socket.create_server((made.server.address, web_servers.PORT))
    )
    with taker, pytest.raises(Failed, match="in use"), serving(place, "lighttpd"):
        pytest.fail("it is another one that listens")
