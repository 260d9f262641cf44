"""Whether a server listens, or still has clients, without a request, which would be in its log."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from spindlemark.core.process.interrupts import interruptible
from spindlemark.families.http_streams.web_servers import PORT
from spindlemark.testbeds import namespaces
from spindlemark.testbeds.shaping import End

_OPEN = ("01", "08")  # states in /proc/net/tcp: established, and closed by the other side only
_ASK_SECONDS = 0.05
_STILL = 5  # times that the disk's counters must say the same: a second's share of the slowest device's requests


def within(end: End) -> Callable[[], set[str]]:
    """A question that can be asked again and again: which sockets listen at the end's address and our port?"""
    return lambda: namespaces.listening(Path(end.namespace), end.address, PORT)


def quiet(end: End, counters: Path, seconds: float) -> bool:
    """Wait until the server has noticed that all its clients are gone; whether it did within `seconds`.

    What it still reads for them would otherwise be read in the next trial, and its log would lack their last lines. It may
    wait for a slow disk, so the disk's `counters` must not change for a while too.
    """
    give_up, text, still = time.monotonic() + seconds, "", 0
    with interruptible():
        while still < _STILL or any(one.state in _OPEN for one in _ours(end)):
            if time.monotonic() > give_up:
                return False
            time.sleep(_ASK_SECONDS)
            now = counters.read_text()
            still, text = (still + 1 if now == text else 0), now
    let_go()
    return True


def let_go() -> None:
    """Have each processor free the packets that it keeps back until its next one comes (kernel 5.19 and later).

    They hold pages of the assets, up to some megabytes for each processor, which dropping caches does not remove: the
    next trial would find them in memory. A packet of ours on each processor lets go of them (tried: all of them).
    """
    mine = os.sched_getaffinity(0)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.bind(("127.0.0.1", 0))
            own.settimeout(1)
            for processor in mine:
                os.sched_setaffinity(0, {processor})
                own.sendto(b"", own.getsockname())
                own.recv(1)
    finally:
        os.sched_setaffinity(0, mine)


def _ours(end: End) -> list[namespaces.Socket]:
    """Each socket at the end's address and our port."""
    return namespaces.sockets(Path(end.namespace), end.address, PORT)
