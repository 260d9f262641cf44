"""The processes of a virtual machine on the host: found, counted and ended, and no others.

Each carries a secret in its environment, which is noted where only root can read: none is missed, however its starter
ended, and nobody else's is taken for one.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SECRET = "SPINDLEMARK_MACHINE"  # the variable


@dataclass(frozen=True)
class Machine:
    """A virtual machine that was started; `began`, the start time of `pid`, tells it from a later process.

    `serial` is that of its disk, `key` stands for all that it was started with.
    """

    pid: int
    began: str | None
    serial: str
    key: str
    log: str
    secret: str

    def alive(self) -> bool:
        """Whether its first process still runs."""
        return self.began is not None and start_of(self.pid) == self.began

    def processes(self) -> Iterator[int]:
        """All that run of it."""
        for process in Path("/proc").glob("[0-9]*"):
            if self._has(int(process.name)):
                yield int(process.name)

    def kill(self) -> None:
        """Let the kernel end what runs of it."""
        for pid in self.processes():
            with suppress(ProcessLookupError):
                descriptor = os.pidfd_open(pid)
                try:
                    if self._has(pid):  # it holds the descriptor, so that the number is of no later process
                        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                finally:
                    os.close(descriptor)

    def cpu_seconds(self) -> float:
        """CPU time that they used so far."""
        total = 0
        for pid in self.processes():
            with suppress(OSError):
                fields = _stat(pid)
                total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    def _has(self, pid: int) -> bool:
        try:
            return f"{SECRET}={self.secret}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False  # it ended meanwhile


def start_of(pid: int) -> str | None:
    """Start time of a process in ticks since boot, None when it has ended."""
    try:
        fields = _stat(pid)
    except OSError:
        return None
    return None if fields[0] == b"Z" else fields[19].decode()


def _stat(pid: int) -> list[bytes]:
    """What follows a process's name in its stat file."""
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
