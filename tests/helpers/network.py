"""A link for tests: its declaration, and what is started or asked at its ends."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark import config
from spindlemark.core.process.command import Finished, execute
from spindlemark.testbeds import link, namespaces

BED = config.LinkTestbed(
    description="", kind="link", storage=None, scheduler="none", source_directory="/dev/shm", busy_bound=0.1
)
PORT = 8000


def run(argv, limit_seconds=60, accept=(0,)) -> Finished:
    done = execute(argv, limit_seconds)
    assert done.exit_code in accept, done
    return done


@contextmanager
def opening(bed: config.LinkTestbed, size: int = 0) -> Iterator[Callable[..., link.Link]]:
    """Open links with the settings given; they are cleaned in the end, and that a second time."""
    contexts = []

    def enter(**setting) -> link.Link:
        contexts.append(link.opened("test", bed, size, {"scheduler": "none"} | setting, run))
        return contexts[-1].__enter__()

    yield enter
    for context in contexts:
        context.gen.close()
    for _ in range(2):
        link.clean("test", bed)


def at(one: link.Link, end: link.End, *argv: str, user: str | None = None) -> Finished:
    return execute(one.within(end, argv, user), 30)


def connected(one: link.Link) -> tuple[socket.socket, socket.socket]:
    """A connection over the link: the client's socket and the server's."""
    with namespaces.inside(Path(one.server.namespace), lambda: socket.create_server((one.server.address, 0))) as taker:
        client = namespaces.inside(Path(one.client.namespace), socket.socket)
        client.settimeout(30)
        client.connect(taker.getsockname())
        server = taker.accept()[0]
    for end in (client, server):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client, server


def round_trips(one: link.Link, count: int) -> list[float]:
    """Seconds of each."""
    client, server = connected(one)
    found = []
    with client, server:
        for _ in range(count):
            begun = time.perf_counter()
            client.send(b"?")
            server.recv(1)
            server.send(b"!")
            client.recv(1)
            found.append(time.perf_counter() - begun)
    return found
