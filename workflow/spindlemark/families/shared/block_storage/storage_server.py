"""The server of a place, concurrent with the steps: nbdkit with its filters that delay and count, or our own small web server."""

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import programs
from spindlemark.core.process.tools import present
from spindlemark.families.shared.block_storage.backends import LIBNBD
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds.background import background

TOOL, USER, UID = "nbdkit", "nobody", 65534
LOCAL, NBD, HTTP = "local", "nbd", "http"
DELAYS_MS = (1, 5, 20)
# The storage below a file, by name: a kind of `backends.KINDS` and how long each request waits.
STORAGES: dict[str, dict[str, Any]] = {LOCAL: {"kind": LOCAL, "delay_ms": 0}} | {
    f"{kind}-{delay}-ms": {"kind": kind, "delay_ms": delay} for kind in (NBD, HTTP) for delay in DELAYS_MS
}
_READY_SECONDS = 30.0
_STATS = re.compile(r"^(read|write): (\d+) ops", re.MULTILINE)


@dataclass
class Served:
    """Where clients find the file: its path, or a socket; `counts` are the server's own, read and write, once it has ended."""

    at: Path
    counts: dict[str, int] | None = None


def require(repetition: Repetition, storage: dict[str, Any]) -> None:
    """Raises Unsupported, naming the package, when this machine cannot serve the storage."""
    if storage["kind"] == NBD:
        repetition.need_tools([TOOL], "nbdkit")
        if not present(LIBNBD):
            raise Unsupported(f"{LIBNBD} is not installed: the package libnbd0 brings it")


@contextmanager
def serving(repetition: Repetition, storage: dict[str, Any], file: Path) -> Iterator[Served]:
    """The file as the storage has it, from when it answers; raises as `background` does."""
    if storage["kind"] == LOCAL:
        yield Served(file)
        return
    folder = file.parent / "state"
    folder.mkdir()
    for path in (file, folder):
        os.chown(path, UID, UID)
    file.parent.chmod(0o755)
    at, counts, delay = folder / "socket", folder / "counts", storage["delay_ms"]
    argv = (
        [
            *programs.PYTHON,
            "-m",
            "spindlemark.families.shared.block_storage.http_server",
            str(at),
            str(file),
            str(delay / 1000),
        ]
        if storage["kind"] == HTTP
        else [
            TOOL,
            "--foreground",
            "--unix",
            str(at),
            "--filter=stats",
            "--filter=delay",
            "file",
            str(file),
            f"statsfile={counts}",
            f"rdelay={delay}ms",
            f"wdelay={delay}ms",
        ]
    )
    served = Served(at)
    with background(
        repetition,
        argv,
        name=storage["kind"],
        ready=lambda: _answers(at),
        ready_seconds=_READY_SECONDS,
        user=USER if storage["kind"] == NBD else None,
    ):
        yield served
    if storage["kind"] == NBD:
        served.counts = {"read": 0, "write": 0} | {
            name: int(count) for name, count in _STATS.findall(counts.read_text())
        }


def _answers(at: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
        probe.connect(str(at))
        return True
    return False
