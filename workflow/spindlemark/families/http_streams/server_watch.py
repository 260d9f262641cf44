"""The load of server, device and network while clients play, sampled once a second by a thread of this program."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self

from spindlemark.core.outcome import Outcome
from spindlemark.testbeds.background import Background

SAMPLE_SECONDS = 1.0
_PAGE, _KIB = os.sysconf("SC_PAGE_SIZE"), 1024
_MEMINFO = Path("/proc/meminfo")


class Reading(NamedTuple):
    """Counters at one moment (`at`, monotonic seconds), and the memory in use."""

    at: float
    cpu_seconds: float  # of all processes of the server
    resident_bytes: int  # of all processes of the server; a page that several share counts for each
    page_cache_bytes: int  # of the whole kernel
    device_bytes: int  # that the device read
    network_bytes: int  # that the server's network card sent


@dataclass(frozen=True)
class Load:
    """Means over a span. The share of processors is that of one processor, so several can make more than 1."""

    server_cpu_share: float
    server_resident_bytes: float
    page_cache_bytes: float
    device_bytes_per_second: float
    network_bytes_per_second: float

    def row(self) -> dict[str, float]:
        """Its columns in attachments."""
        return {
            "server_cpu_share": round(self.server_cpu_share, 4),
            "server_resident_bytes": round(self.server_resident_bytes),
            "page_cache_bytes": round(self.page_cache_bytes),
            "device_bytes_per_second": round(self.device_bytes_per_second),
            "network_bytes_per_second": round(self.network_bytes_per_second),
        }


class ServerWatch:
    """Sample the server once a second while the context lasts; `link` has counters of the disk and of the network."""

    def __init__(self, server: Background, link: Any, read: Callable[[], Reading] | None = None) -> None:
        self._server, self._link = server, link
        self._read = read or self._reading
        self.readings: list[Reading] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="server-watch", daemon=True)

    def __enter__(self) -> Self:
        self.readings.append(self._read())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def finish(self) -> None:
        """Take the last reading; raises Broken when the link is down. Counters then end with what was watched."""
        self._stop.set()
        self._thread.join()
        self.readings.append(self._read())

    def mean(self, begun: float, ended: float) -> Load:
        """The load while clients played, from the readings in that span (monotonic seconds).

        The start and end of the client program, which are outside of it, would lower the rates. A span with fewer than two
        readings counts with all of them.
        """
        inside = [reading for reading in self.readings if begun <= reading.at <= ended]
        return between(inside if len(inside) > 1 else self.readings)

    def series(self) -> list[tuple[float, Load]]:
        """The load of each second, with the moment at which it ends (monotonic seconds)."""
        return [(pair[1].at, between(pair)) for pair in pairwise(self.readings) if pair[1].at > pair[0].at]

    def _work(self) -> None:
        due = self.readings[0].at + SAMPLE_SECONDS
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            try:
                self.readings.append(self._read())
            except Outcome:  # the link or the server is gone: the trial itself notices and says so
                return
            due += SAMPLE_SECONDS

    def _reading(self) -> Reading:
        resident = sum(_resident(pid) for pid in self._server.members())
        return Reading(
            time.monotonic(),
            self._server.cpu_seconds(),
            resident,
            page_cache(_MEMINFO.read_text()),
            self._link.transferred().read_bytes,
            self._link.carried().server_bytes,
        )


def between(readings: list[Reading] | tuple[Reading, ...]) -> Load:
    """The load from the first reading to the last; memory as the mean of those after the first."""
    first, last, later = readings[0], readings[-1], readings[1:]
    seconds = last.at - first.at
    return Load(
        (last.cpu_seconds - first.cpu_seconds) / seconds,
        sum(each.resident_bytes for each in later) / len(later),
        sum(each.page_cache_bytes for each in later) / len(later),
        (last.device_bytes - first.device_bytes) / seconds,
        (last.network_bytes - first.network_bytes) / seconds,
    )


def page_cache(meminfo: str) -> int:
    """Bytes of files in the page cache: Cached without Shmem, which holds disks in memory, and Buffers."""
    found = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in meminfo.splitlines())}
    return (found["Cached"] - found["Shmem"] + found["Buffers"]) * _KIB


def _resident(pid: int) -> int:
    """Bytes of a process in memory; 0 for one that ended meanwhile."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0
