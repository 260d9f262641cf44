"""Using a share: a load, or a whole file fetched or stored, by the protocol's client at the client's end of a link.

`local` is not a protocol: the same loads on the server itself, past its page cache, as storage_profile has them.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from spindlemark.core.process import programs
from spindlemark.families.network_share.share_client import Task, Took
from spindlemark.families.network_share.share_names import PORT
from spindlemark.families.network_share.share_servers import Place
from spindlemark.harness import fio
from spindlemark.harness.fio_loads import LOADS, words
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import direct_io
from spindlemark.testbeds.background import Background

LOCAL, NBD, WEBDAV = "local", "nbd", "webdav"
COPIER, COPIER_PACKAGE = "nbdcopy", "libnbd-bin"
_MOST_WORKERS = 16  # processes of our own client: more is what fio alone can have in flight


def can(protocol: str, load: str, way: str) -> str | None:
    """Why the protocol's client cannot put the load on a share; None where it can."""
    if protocol in (LOCAL, NBD):
        return None
    if LOADS[load].in_flight > _MOST_WORKERS:
        return f"its client has no {LOADS[load].in_flight} requests in flight"
    if protocol == WEBDAV and way == "write" and LOADS[load].at_random:
        return "no request of WebDAV writes into the middle of a file"
    return None


@dataclass(frozen=True)
class User:
    """One protocol's client, in a session whose share holds a file of `bytes` bytes."""

    repetition: Repetition
    protocol: str
    place: Place
    bytes: int
    server: Background | None = None

    def load(self, name: str, way: str, seconds: float, limit: float) -> Took:
        """Put a load on the share for `seconds`, or until each place of the file was asked for once."""
        if self.protocol in (LOCAL, NBD):
            return self._by_fio(name, way, seconds, limit)
        load = LOADS[name]
        return self._by_client(
            limit, way=way, block=load.block_bytes, at_random=load.at_random, workers=load.in_flight, seconds=seconds
        )

    def store(self, file: Path, limit: float) -> None:
        """Put the local file in the place of the shared one."""
        if self.protocol == LOCAL:
            self.repetition.run(["cp", file, self.place.data], limit)
        elif self.protocol == NBD:
            self.repetition.run(self._at_client([COPIER, file, self._export]), limit)
        else:
            self._by_client(limit, way="store", file=str(file))

    def fetch(self, file: Path, limit: float) -> None:
        """Copy the shared file to a local one."""
        if self.protocol == LOCAL:
            self.repetition.run(["cp", self.place.data, file], limit)
        elif self.protocol == NBD:
            self.repetition.run(self._at_client([COPIER, self._export, file]), limit)
        else:
            self._by_client(limit, way="fetch", file=str(file))

    @property
    def _export(self) -> str:
        return f"nbd://{self.place.address}:{PORT}/"

    def _at_client(self, argv: Sequence[str | Path]) -> list[str]:
        link = self.repetition.testbed
        return link.within(link.client, [str(word) for word in argv])

    def _by_client(self, limit: float, **task: Any) -> Took:
        group = self.server.group if self.server else None
        request = Task(self.protocol, self.place.address, PORT, bytes=self.bytes, server=str(group or ""), **task)
        before = self._served()
        done = self.repetition.run(
            self._at_client(
                [*programs.PYTHON, "-m", "spindlemark.families.network_share.share_client", json.dumps(asdict(request))]
            ),
            limit,
        )
        took = Took(**json.loads(done.stdout))
        return took if took.server_seconds is not None else replace(took, server_seconds=self._served() - before)

    def _by_fio(self, name: str, way: str, seconds: float, limit: float) -> Took:
        load = LOADS[name]
        part = self.bytes // load.threads  # each thread has a part of its own, so that nothing is asked for twice
        where, inside = (
            (
                [
                    f"--filename={self.place.data}",
                    f"--ioengine={direct_io.engine(load.in_flight)}",
                    f"--direct={int(direct_io.supported(self.place.shared))}",
                ],
                (),
            )
            if self.protocol == LOCAL
            else (["--ioengine=nbd", f"--uri={self._export}"], self._at_client(()))
        )
        before = self._served()
        output = fio.run(
            self.repetition,
            [
                f"--size={part}",
                f"--offset_increment={part}",
                f"--runtime={round(seconds * 1000)}ms",
                "--thread",
                "--group_reporting",
                "--fallocate=none",
                *where,
                *words(name, way),
            ],
            limit,
            f"fio.{name}_{way}",
            inside,
        )
        job = output["jobs"][0]
        busy = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000
        return Took(job[way]["io_bytes"], job[way]["runtime"] / 1000, busy, self._served() - before)

    def _served(self) -> float:
        """Processor seconds of the server so far."""
        return self.server.cpu_seconds() if self.server else 0.0
